/** Which metrics services keep. */
@NullMarked
package testbed.support.metrics;

import org.jspecify.annotations.NullMarked;
