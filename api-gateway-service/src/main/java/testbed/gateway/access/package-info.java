/** Who may ask for what. */
@NullMarked
package testbed.gateway.access;

import org.jspecify.annotations.NullMarked;
