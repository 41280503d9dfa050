/** How many requests a client may make, by the tier of its token. */
@NullMarked
package testbed.tier.limit;

import org.jspecify.annotations.NullMarked;
