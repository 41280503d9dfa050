/** JSON read strictly: what cannot be kept is refused. */
@NullMarked
package testbed.support.json;

import org.jspecify.annotations.NullMarked;
