/** The catalogue: seeded from a data file, read from the cinema's own database. */
@NullMarked
package testbed.cinema.movie;

import org.jspecify.annotations.NullMarked;
