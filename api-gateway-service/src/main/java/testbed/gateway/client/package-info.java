/** What the gateway takes from one client. */
@NullMarked
package testbed.gateway.client;

import org.jspecify.annotations.NullMarked;
