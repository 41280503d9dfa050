/** Exchange rates of a source that is slow and refuses some requests. */
@NullMarked
package testbed.feed;

import org.jspecify.annotations.NullMarked;
