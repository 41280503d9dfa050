/** The parts of the market, and which of them a process has. */
@NullMarked
package testbed.market.part;

import org.jspecify.annotations.NullMarked;
