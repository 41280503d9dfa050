package testbed.market.between;

import java.math.BigDecimal;

/**
 * How much there is of a bean.
 *
 * @param quantity kilograms that can be ordered
 * @param price of a kilogram, in US dollars
 */
public record Stock(long beanId, long quantity, BigDecimal price) {}
