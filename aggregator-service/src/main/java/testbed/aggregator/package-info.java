/** The synchronous variant's aggregator: asks every registered cinema and combines the answers. */
@NullMarked
package testbed.aggregator;

import org.jspecify.annotations.NullMarked;
