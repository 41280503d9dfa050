/**
 * The product's values as they cross a process border: cinemas, movies, reservations and problems.
 */
@NullMarked
package testbed.contracts;

import org.jspecify.annotations.NullMarked;
