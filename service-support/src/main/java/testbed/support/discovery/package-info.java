/** How a registered service stops. */
@NullMarked
package testbed.support.discovery;

import org.jspecify.annotations.NullMarked;
