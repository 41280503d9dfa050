/** Stock, prices and orders. */
@NullMarked
package testbed.market.inventory;

import org.jspecify.annotations.NullMarked;
