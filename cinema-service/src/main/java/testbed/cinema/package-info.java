/** One cinema: settings and wiring. The core (movie, reservation) knows neither HTTP nor AMQP. */
@NullMarked
package testbed.cinema;

import org.jspecify.annotations.NullMarked;
