/** Which cinemas exist and which are present, as a front door knows them. */
@NullMarked
package testbed.support.presence;

import org.jspecify.annotations.NullMarked;
