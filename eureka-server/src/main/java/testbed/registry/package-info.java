/** The service registry and its dashboard. */
@NullMarked
package testbed.registry;

import org.jspecify.annotations.NullMarked;
