/** Log lines with the ids of their request. */
@NullMarked
package testbed.support.log;

import org.jspecify.annotations.NullMarked;
