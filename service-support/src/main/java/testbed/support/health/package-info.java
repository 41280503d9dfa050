/** What services tell of their health beyond the health endpoint. */
@NullMarked
package testbed.support.health;

import org.jspecify.annotations.NullMarked;
