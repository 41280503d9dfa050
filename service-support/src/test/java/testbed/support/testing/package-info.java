/** What the services' tests share. */
package testbed.support.testing;
