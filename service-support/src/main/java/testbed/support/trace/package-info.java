/** Traces: off, unless one setting says where they go. */
@NullMarked
package testbed.support.trace;

import org.jspecify.annotations.NullMarked;
