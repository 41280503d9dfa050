/** Who may ask for what. */
@NullMarked
package testbed.broker.access;

import org.jspecify.annotations.NullMarked;
