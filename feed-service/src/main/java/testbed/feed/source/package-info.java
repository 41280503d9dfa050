/** A stand-in for a public service. */
@NullMarked
package testbed.feed.source;

import org.jspecify.annotations.NullMarked;
