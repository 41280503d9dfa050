/** The ticket service: tickets are ordered by HTTP or through a queue, and fetched by HTTP. */
@NullMarked
package testbed.ticketservice;

import org.jspecify.annotations.NullMarked;
