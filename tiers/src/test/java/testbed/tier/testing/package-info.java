/** What the tests of services that check tokens share. */
package testbed.tier.testing;
