/** Limits of what one client may use. */
@NullMarked
package testbed.gateway.client;

import org.jspecify.annotations.NullMarked;
