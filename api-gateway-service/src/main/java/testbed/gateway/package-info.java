/** The synchronous variant's front door. */
@NullMarked
package testbed.gateway;

import org.jspecify.annotations.NullMarked;
