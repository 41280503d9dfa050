/** The HTTP edge of the clients. */
@NullMarked
package testbed.market.clients.web;

import org.jspecify.annotations.NullMarked;
