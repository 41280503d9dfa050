/** The cinemas that the registry knows, for front doors that ask them over HTTP. */
@NullMarked
package testbed.support.discovery;

import org.jspecify.annotations.NullMarked;
