/** The HTTP edge: posters that come in, and other services that edit them further. */
@NullMarked
package testbed.poster.web;

import org.jspecify.annotations.NullMarked;
