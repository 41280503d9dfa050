package testbed.market.between;

import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * What other parts ask of the inventory.
 *
 * <p>Each method throws {@link InventoryAway} if the inventory is in another process, which does
 * not answer.
 */
public interface Inventory {

  /** How much there is of a bean, and its price; empty if it is not sold. */
  Optional<Stock> stock(long beanId);

  /** The same of several beans; those that are not sold are left out. */
  List<Stock> stocks(Collection<Long> beanIds);

  /** Ends the sale of a bean. */
  void remove(long beanId);

  /**
   * Removes the orders of a client.
   *
   * @return false if one is in progress; then all of them are kept
   */
  boolean removeOrdersOf(String client);
}
