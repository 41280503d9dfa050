/** JSON: read strictly, and not parsed again while it is the same. */
@NullMarked
package testbed.support.json;

import org.jspecify.annotations.NullMarked;
