/** How much one client may ask of a front door. */
@NullMarked
package testbed.support.client;

import org.jspecify.annotations.NullMarked;
