/** The steps of the editing, from image to image, and how images become bytes. Knows no HTTP. */
@NullMarked
package testbed.poster.image;

import org.jspecify.annotations.NullMarked;
