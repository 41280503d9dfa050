/**
 * What services have to do with their registry: front doors find the cinemas in it, and what is
 * registered makes sure that it is known as up.
 */
@NullMarked
package testbed.discovery;

import org.jspecify.annotations.NullMarked;
