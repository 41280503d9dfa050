/** Tickets for stored reservations: built in this process, or asked of the ticket service. */
@NullMarked
package testbed.cinema.ticket;

import org.jspecify.annotations.NullMarked;
