/** Log lines that say which request they are about. */
@NullMarked
package testbed.support.log;

import org.jspecify.annotations.NullMarked;
