/** Which way a request goes. */
@NullMarked
package testbed.gateway.route;

import org.jspecify.annotations.NullMarked;
