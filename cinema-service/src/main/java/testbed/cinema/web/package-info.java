/** The HTTP edge: unpacks, delegates, answers. */
@NullMarked
package testbed.cinema.web;

import org.jspecify.annotations.NullMarked;
