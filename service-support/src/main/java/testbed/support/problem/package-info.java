/** Problems as facts, and as RFC 9457 problem details. */
@NullMarked
package testbed.support.problem;

import org.jspecify.annotations.NullMarked;
