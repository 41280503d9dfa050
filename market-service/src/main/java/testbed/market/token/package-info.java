/** The check of clients' tokens, and the clients of the server that issues them. */
@NullMarked
package testbed.market.token;

import org.jspecify.annotations.NullMarked;
