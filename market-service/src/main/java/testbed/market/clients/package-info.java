/** The market's clients and their subscriptions. */
@NullMarked
package testbed.market.clients;

import org.jspecify.annotations.NullMarked;
