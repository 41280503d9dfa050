/** Which cinemas exist and which are present, as a front door knows them; how they are written. */
@NullMarked
package testbed.cinemas;

import org.jspecify.annotations.NullMarked;
