package testbed.market.inventory;

import jakarta.persistence.CollectionTable;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.OrderBy;
import jakarta.persistence.Table;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.hibernate.annotations.BatchSize;
import org.jspecify.annotations.Nullable;
import testbed.contracts.Page;

@Entity
@Table(schema = "inventory", name = "orders")
class StoredOrder {

  @Id
  @GeneratedValue(strategy = GenerationType.IDENTITY)
  private @Nullable Long number;

  private String client = "";

  @Enumerated(EnumType.STRING)
  private OrderStatus status = OrderStatus.IN_PROGRESS;

  private BigDecimal totalCost = BigDecimal.ZERO;
  private @Nullable String idempotencyKey;

  /** Those of a whole page by one statement. */
  @ElementCollection
  @CollectionTable(
      schema = "inventory",
      name = "order_item",
      joinColumns = @JoinColumn(name = "order_number"))
  @OrderBy("beanId")
  @BatchSize(size = Page.MAX_SIZE)
  private List<Item> items = new ArrayList<>();

  /** Of the library. */
  StoredOrder() {}

  StoredOrder(
      String client, @Nullable String idempotencyKey, List<Item> items, BigDecimal totalCost) {
    this.client = client;
    this.idempotencyKey = idempotencyKey;
    this.items.addAll(items);
    this.totalCost = totalCost;
  }

  String client() {
    return client;
  }

  OrderStatus status() {
    return status;
  }

  void status(OrderStatus changed) {
    status = changed;
  }

  List<Item> items() {
    return items;
  }

  Order shown() {
    return new Order(Objects.requireNonNull(number), status, totalCost, List.copyOf(items));
  }
}
