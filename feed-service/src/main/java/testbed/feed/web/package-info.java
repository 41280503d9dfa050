/** The HTTP edge. */
@NullMarked
package testbed.feed.web;

import org.jspecify.annotations.NullMarked;
