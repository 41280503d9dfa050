/** JSON read strictly: what cannot be kept is refused. What is the same is not read again. */
@NullMarked
package testbed.support.json;

import org.jspecify.annotations.NullMarked;
