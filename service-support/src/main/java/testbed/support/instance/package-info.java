/** Which instances of a service are asked. */
@NullMarked
package testbed.support.instance;

import org.jspecify.annotations.NullMarked;
