/** The HTTP edge of the inventory. */
@NullMarked
package testbed.market.inventory.web;

import org.jspecify.annotations.NullMarked;
