/** Where tokens of clients are checked, and what they must say. */
@NullMarked
package testbed.support.token;

import org.jspecify.annotations.NullMarked;
