/** Edits posters of films: a step of it, or all of them. */
@NullMarked
package testbed.poster;

import org.jspecify.annotations.NullMarked;
