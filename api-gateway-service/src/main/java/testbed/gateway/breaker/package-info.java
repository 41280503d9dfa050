/** Circuit breakers and their fallbacks, one for each service behind the gateway. */
@NullMarked
package testbed.gateway.breaker;

import org.jspecify.annotations.NullMarked;
