/** The list of every cinema's movies. */
@NullMarked
package testbed.aggregator.movie;

import org.jspecify.annotations.NullMarked;
