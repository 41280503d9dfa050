/** How rates are kept between the source and the clients. */
@NullMarked
package testbed.feed.rate;

import org.jspecify.annotations.NullMarked;
