/** Routes to the services. */
@NullMarked
package testbed.gateway.route;

import org.jspecify.annotations.NullMarked;
