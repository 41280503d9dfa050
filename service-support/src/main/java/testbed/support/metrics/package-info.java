/** The metrics of services. */
@NullMarked
package testbed.support.metrics;

import org.jspecify.annotations.NullMarked;
