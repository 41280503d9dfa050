package testbed.market.inventory;

import java.math.BigDecimal;
import java.util.List;

/**
 * An order as clients see it.
 *
 * @param totalCost US dollars
 * @param items by bean
 */
public record Order(long orderNumber, OrderStatus status, BigDecimal totalCost, List<Item> items) {}
