/** Tickets: the same code in the cinema's own process and in the ticket service. */
@NullMarked
package testbed.ticket;

import org.jspecify.annotations.NullMarked;
