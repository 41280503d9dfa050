/** The ways to a cinema over HTTP. */
@NullMarked
package testbed.aggregator.route;

import org.jspecify.annotations.NullMarked;
