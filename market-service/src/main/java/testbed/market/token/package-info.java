/** The check of clients' tokens. */
@NullMarked
package testbed.market.token;

import org.jspecify.annotations.NullMarked;
