/** The cinemas that the registry knows, for front doors that ask them over HTTP. */
@NullMarked
package testbed.discovery;

import org.jspecify.annotations.NullMarked;
