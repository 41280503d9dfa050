/** The HTTP edge of every servlet service. */
@NullMarked
package testbed.support.web;

import org.jspecify.annotations.NullMarked;
