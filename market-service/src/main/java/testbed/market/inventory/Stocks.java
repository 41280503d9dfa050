package testbed.market.inventory;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.springframework.stereotype.Component;
import testbed.market.between.Inventory;
import testbed.market.between.Stock;
import testbed.market.database.Database;
import testbed.market.database.Databases;
import testbed.market.part.Part;
import testbed.market.part.PartOf;

/** How much there is of each bean, and what it costs. */
@Component
@PartOf(Part.INVENTORY)
public class Stocks implements Inventory {

  private final Database database;

  Stocks(Databases databases) {
    this.database = databases.of(Part.INVENTORY);
  }

  @Override
  public Optional<Stock> stock(long beanId) {
    return database.read(
        entities ->
            Optional.ofNullable(Database.find(entities, StoredStock.class, beanId))
                .map(StoredStock::shown));
  }

  /**
   * The stock of a bean.
   *
   * @throws StockUnknown if it is not sold
   */
  public Stock get(long beanId) {
    return stock(beanId).orElseThrow(() -> new StockUnknown(beanId));
  }

  @Override
  public List<Stock> stocks(Collection<Long> beanIds) {
    return database.read(
        entities ->
            entities
                .createQuery(
                    "select s from StoredStock s where s.beanId in :ids order by s.beanId",
                    StoredStock.class)
                .setParameter("ids", beanIds)
                .getResultList()
                .stream()
                .map(StoredStock::shown)
                .toList());
  }

  /** Sets quantity and price of a bean, which is sold from then on. */
  public Stock set(Stock wanted) {
    return database.write(
        entities -> {
          // One statement, as others may add and remove the row meanwhile.
          entities
              .createNativeQuery(
                  """
                  insert into inventory.stock (bean_id, quantity, price)
                  values (:bean, :quantity, :price) on conflict (bean_id)
                  do update set quantity = excluded.quantity, price = excluded.price
                  """)
              .setParameter("bean", wanted.beanId())
              .setParameter("quantity", wanted.quantity())
              .setParameter("price", wanted.price())
              .executeUpdate();
          return wanted;
        });
  }

  @Override
  public void remove(long beanId) {
    database.write(
        entities ->
            entities
                .createQuery("delete from StoredStock s where s.beanId = :id")
                .setParameter("id", beanId)
                .executeUpdate());
  }

  @Override
  public boolean removeOrdersOf(String client) {
    return database.write(
        entities -> {
          var open =
              entities
                  .createQuery(
                      "select o from StoredOrder o where o.client = :client and o.status = :open"
                          + " order by o.number",
                      StoredOrder.class)
                  .setParameter("client", client)
                  .setParameter("open", OrderStatus.IN_PROGRESS)
                  .setMaxResults(1)
                  .getResultList();
          if (!open.isEmpty()) {
            return false;
          }
          // The schema removes their items. An order that is placed meanwhile is kept.
          entities
              .createNativeQuery(
                  "delete from inventory.orders where client = :client and status <> 'IN_PROGRESS'")
              .setParameter("client", client)
              .executeUpdate();
          return true;
        });
  }
}
