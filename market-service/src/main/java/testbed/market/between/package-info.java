/** What one part asks of another, in the process or by HTTP. */
@NullMarked
package testbed.market.between;

import org.jspecify.annotations.NullMarked;
