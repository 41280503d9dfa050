/** Beans and where they come from. */
@NullMarked
package testbed.market.beans;

import org.jspecify.annotations.NullMarked;
