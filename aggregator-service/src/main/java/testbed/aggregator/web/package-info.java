/** The HTTP edge: unpacks, delegates, answers. */
@NullMarked
package testbed.aggregator.web;

import org.jspecify.annotations.NullMarked;
