/** Which of a service's instances is asked next. */
@NullMarked
package testbed.gateway.balancer;

import org.jspecify.annotations.NullMarked;
