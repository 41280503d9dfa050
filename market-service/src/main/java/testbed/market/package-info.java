/** A market of coffee beans: one code base for a monolith and for services. */
@NullMarked
package testbed.market;

import org.jspecify.annotations.NullMarked;
