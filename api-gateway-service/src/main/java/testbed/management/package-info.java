/**
 * The gateway's management port. Not below {@code testbed.gateway}: what is found there becomes
 * part of the gateway itself.
 */
@NullMarked
package testbed.management;

import org.jspecify.annotations.NullMarked;
