/** The two named sets of configuration values, as Spring profiles chosen by one setting. */
@NullMarked
package testbed.support.preset;

import org.jspecify.annotations.NullMarked;
