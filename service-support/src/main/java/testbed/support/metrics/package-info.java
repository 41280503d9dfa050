/** What services measure of themselves, and what they leave out. */
@NullMarked
package testbed.support.metrics;

import org.jspecify.annotations.NullMarked;
