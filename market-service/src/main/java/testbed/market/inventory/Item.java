package testbed.market.inventory;

import jakarta.persistence.Embeddable;

/**
 * A part of an order.
 *
 * @param beanId of the bean
 * @param quantity kilograms
 */
@Embeddable
public record Item(long beanId, long quantity) {

  /** Of one item. */
  public static final long MOST = 1_000_000;

  public Item {
    if (beanId < 1) {
      throw new IllegalArgumentException("a beanId is a positive number");
    }
    if (quantity < 1 || quantity > MOST) {
      throw new IllegalArgumentException("a quantity is 1 to %d".formatted(MOST));
    }
  }
}
