/**
 * The data that the market begins with. It has the shape of the data of Moldovan's thesis (2025,
 * "Performance optimization in the context of highly scalable global APIs"): as many beans in each
 * region of each country. All else in it is made up.
 */
@NullMarked
package testbed.market.data;

import org.jspecify.annotations.NullMarked;
