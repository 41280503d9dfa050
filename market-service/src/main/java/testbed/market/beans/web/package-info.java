/** The HTTP edge of the beans. */
@NullMarked
package testbed.market.beans.web;

import org.jspecify.annotations.NullMarked;
