/** What the tests of services with a registry share. */
package testbed.discovery.testing;
