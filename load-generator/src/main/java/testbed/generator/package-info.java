/** One JMeter that is started once and runs plan after plan. */
@NullMarked
package testbed.generator;

import org.jspecify.annotations.NullMarked;
