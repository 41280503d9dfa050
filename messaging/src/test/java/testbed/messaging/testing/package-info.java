/** What the tests of services with queues share. */
package testbed.messaging.testing;
