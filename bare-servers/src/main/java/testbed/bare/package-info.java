/** Servers that give the right answers without any work. */
@NullMarked
package testbed.bare;

import org.jspecify.annotations.NullMarked;
