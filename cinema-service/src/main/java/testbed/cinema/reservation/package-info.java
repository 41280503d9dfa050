/** Reservations: checked against the catalogue, stored once. */
@NullMarked
package testbed.cinema.reservation;

import org.jspecify.annotations.NullMarked;
