/** How long a caller waits, as its request carries it from service to service. */
@NullMarked
package testbed.support.deadline;

import org.jspecify.annotations.NullMarked;
