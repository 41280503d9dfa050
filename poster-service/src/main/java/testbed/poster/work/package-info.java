/** The work on posters: in turn, within bounds, and measured. Knows no HTTP. */
@NullMarked
package testbed.poster.work;

import org.jspecify.annotations.NullMarked;
