/** The HTTP edge of the service that serves tickets. */
@NullMarked
package testbed.ticket.web;

import org.jspecify.annotations.NullMarked;
