/** Servers that return fixed answers without any work. */
@NullMarked
package testbed.bare;

import org.jspecify.annotations.NullMarked;
