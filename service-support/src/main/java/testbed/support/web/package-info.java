/** What every servlet service does at its HTTP edge. */
@NullMarked
package testbed.support.web;

import org.jspecify.annotations.NullMarked;
