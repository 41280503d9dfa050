/** Which cinemas exist and which of them are there now, seen from a front door. */
@NullMarked
package testbed.support.presence;

import org.jspecify.annotations.NullMarked;
