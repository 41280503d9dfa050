package testbed.market.inventory;

import static java.util.stream.Collectors.toMap;

import jakarta.persistence.EntityManager;
import jakarta.persistence.LockModeType;
import java.math.BigDecimal;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import testbed.contracts.IdempotencyKey;
import testbed.contracts.Page;
import testbed.market.database.Broken;
import testbed.market.database.Database;
import testbed.market.database.Databases;
import testbed.market.part.Part;
import testbed.market.part.PartOf;
import testbed.support.deadline.Deadline;

/** Orders of clients. Stock is locked in the order of beans, so that orders cannot deadlock. */
@Component
@PartOf(Part.INVENTORY)
public class Orders {

  /** Items of one order. */
  public static final int MOST_ITEMS = 100;

  private final Database database;

  Orders(Databases databases) {
    this.database = databases.of(Part.INVENTORY);
  }

  /**
   * Takes all items from the stock, or none. Under a key that has been used, the first order is
   * answered again, as it is now.
   *
   * @throws OrderInvalid if it has no items, too many, or a bean twice
   * @throws BeanUnknown if a bean is not sold
   * @throws StockTooLow if there is too little of a bean
   * @throws IdempotencyKeyReused if the key belongs to an order of other items
   * @throws testbed.support.deadline.DeadlinePassed if the caller may not wait for the end of it
   */
  public Order place(String client, @Nullable IdempotencyKey key, List<@Nullable Item> wanted) {
    var items = checked(wanted);
    // Another client's equal key is another key.
    var own = key == null ? null : key.of(client).value();
    Deadline.requireMargin();
    try {
      return database.write(entities -> placeOrFind(entities, client, own, items));
    } catch (Broken placedMeanwhile) {
      return database.write(entities -> placeOrFind(entities, client, own, items));
    }
  }

  private static List<Item> checked(List<@Nullable Item> wanted) {
    if (wanted.isEmpty() || wanted.size() > MOST_ITEMS) {
      throw new OrderInvalid("An order has 1 to %d items.".formatted(MOST_ITEMS));
    }
    if (wanted.stream().anyMatch(Objects::isNull)) {
      throw new OrderInvalid("An item has a beanId and a quantity.");
    }
    var items =
        wanted.stream()
            .map(Objects::requireNonNull)
            .sorted(Comparator.comparingLong(Item::beanId))
            .toList();
    if (items.stream().map(Item::beanId).distinct().count() < items.size()) {
      throw new OrderInvalid("An order has each bean once.");
    }
    return items;
  }

  private static Order placeOrFind(
      EntityManager entities, String client, @Nullable String key, List<Item> items) {
    var stocks = lock(entities, items);
    // Looked for with the locks held: the first order of a key may have been placed meanwhile.
    if (key != null) {
      var placed = find(entities, key);
      if (placed.isPresent()) {
        return repeated(placed.get(), items);
      }
    }
    var unknown =
        items.stream().map(Item::beanId).filter(bean -> !stocks.containsKey(bean)).toList();
    if (!unknown.isEmpty()) {
      throw new BeanUnknown(unknown);
    }
    var low =
        items.stream()
            .filter(item -> !of(stocks, item).has(item.quantity()))
            .map(item -> of(stocks, item))
            .toList();
    if (!low.isEmpty()) {
      throw new StockTooLow(low);
    }
    var cost = BigDecimal.ZERO;
    for (var item : items) {
      var stock = of(stocks, item);
      stock.take(item.quantity());
      cost = cost.add(stock.price().multiply(BigDecimal.valueOf(item.quantity())));
    }
    var order = new StoredOrder(client, key, items, cost);
    entities.persist(order);
    entities.flush();
    return order.shown();
  }

  private static Optional<StoredOrder> find(EntityManager entities, String key) {
    return entities
        .createQuery("select o from StoredOrder o where o.idempotencyKey = :key", StoredOrder.class)
        .setParameter("key", key)
        .getResultList()
        .stream()
        .findAny();
  }

  private static Order repeated(StoredOrder placed, List<Item> items) {
    // The library's list is equal to itself alone.
    if (!List.copyOf(placed.items()).equals(items)) {
      throw new IdempotencyKeyReused();
    }
    return placed.shown();
  }

  /** Locks the stock of the items, by bean. */
  private static Map<Long, StoredStock> lock(EntityManager entities, List<Item> items) {
    return entities
        .createQuery(
            "select s from StoredStock s where s.beanId in :ids order by s.beanId",
            StoredStock.class)
        .setParameter("ids", items.stream().map(Item::beanId).toList())
        .setLockMode(LockModeType.PESSIMISTIC_WRITE)
        .getResultList()
        .stream()
        .collect(toMap(StoredStock::beanId, Function.identity()));
  }

  private static StoredStock of(Map<Long, StoredStock> stocks, Item item) {
    return Objects.requireNonNull(stocks.get(item.beanId()));
  }

  /**
   * A page of the client's orders, the newest first.
   *
   * @param status those in this state, or all
   */
  public List<Order> list(String client, @Nullable OrderStatus status, Page page) {
    return database.read(
        entities -> {
          var query =
              entities.createQuery(
                  "select o from StoredOrder o where o.client = :client"
                      + (status == null ? "" : " and o.status = :status")
                      + " order by o.number desc",
                  StoredOrder.class);
          query.setParameter("client", client);
          if (status != null) {
            query.setParameter("status", status);
          }
          return query
              .setFirstResult(Math.toIntExact(page.offset()))
              .setMaxResults(page.size())
              .getResultList()
              .stream()
              .map(StoredOrder::shown)
              .toList();
        });
  }

  /**
   * An order of the client.
   *
   * @throws OrderUnknown if the client has no such order
   */
  public Order get(String client, long number) {
    return database.read(entities -> find(entities, client, number, LockModeType.NONE).shown());
  }

  /**
   * Cancels an order of the client and gives its beans back, once.
   *
   * @throws OrderUnknown if the client has no such order
   * @throws OrderClosed if it was successful
   */
  public Order cancel(String client, long number) {
    return end(client, number, OrderStatus.CANCELED);
  }

  /**
   * Ends an order of any client. For administrators; the front checks that.
   *
   * @param status SUCCESSFUL or CANCELED
   * @throws OrderInvalid if the state is no end
   * @throws OrderUnknown if there is no such order
   * @throws OrderClosed if it has ended in another state
   */
  public Order end(long number, OrderStatus status) {
    if (status == OrderStatus.IN_PROGRESS) {
      throw new OrderInvalid("An order ends as SUCCESSFUL or CANCELED.");
    }
    return end(null, number, status);
  }

  private Order end(@Nullable String client, long number, OrderStatus end) {
    Deadline.requireMargin();
    return database.write(
        entities -> {
          var order = find(entities, client, number, LockModeType.PESSIMISTIC_WRITE);
          if (order.status() == end) {
            return order.shown();
          }
          if (order.status() != OrderStatus.IN_PROGRESS) {
            throw new OrderClosed(number, order.status());
          }
          order.status(end);
          if (end == OrderStatus.CANCELED) {
            // Of beans that are no longer sold there is no stock.
            var stocks = lock(entities, order.items());
            for (var item : order.items()) {
              var stock = stocks.get(item.beanId());
              if (stock != null) {
                stock.giveBack(item.quantity());
              }
            }
          }
          return order.shown();
        });
  }

  private static StoredOrder find(
      EntityManager entities, @Nullable String client, long number, LockModeType lock) {
    var order = Database.find(entities, StoredOrder.class, number, lock);
    if (order == null || client != null && !client.equals(order.client())) {
      throw new OrderUnknown(number);
    }
    return order;
  }
}
