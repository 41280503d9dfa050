/** The HTTP edge: an order is built at once or refused. */
@NullMarked
package testbed.ticketservice.web;

import org.jspecify.annotations.NullMarked;
