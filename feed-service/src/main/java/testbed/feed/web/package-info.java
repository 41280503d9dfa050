/** What clients meet. */
@NullMarked
package testbed.feed.web;

import org.jspecify.annotations.NullMarked;
