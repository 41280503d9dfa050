/** The HTTP edge: acknowledges requests with a correlation id and hands out answers. */
@NullMarked
package testbed.broker.web;

import org.jspecify.annotations.NullMarked;
