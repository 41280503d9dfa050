/** What the parts' HTTP edges share. */
@NullMarked
package testbed.market.web;

import org.jspecify.annotations.NullMarked;
