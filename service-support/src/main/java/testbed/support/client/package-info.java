/** Rate limits of clients at a front door. */
@NullMarked
package testbed.support.client;

import org.jspecify.annotations.NullMarked;
