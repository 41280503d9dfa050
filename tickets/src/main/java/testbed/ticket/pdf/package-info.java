/** From a reservation to the bytes of a PDF. Knows no framework. */
@NullMarked
package testbed.ticket.pdf;

import org.jspecify.annotations.NullMarked;
