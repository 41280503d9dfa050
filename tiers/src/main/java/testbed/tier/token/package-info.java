/** Where tokens of clients are checked, and what they must say. */
@NullMarked
package testbed.tier.token;

import org.jspecify.annotations.NullMarked;
