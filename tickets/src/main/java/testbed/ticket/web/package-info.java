/** The HTTP edge of whichever service hands out tickets. */
@NullMarked
package testbed.ticket.web;

import org.jspecify.annotations.NullMarked;
