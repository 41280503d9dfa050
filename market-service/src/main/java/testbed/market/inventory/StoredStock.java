package testbed.market.inventory;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.math.BigDecimal;
import testbed.market.between.Stock;

@Entity
@Table(schema = "inventory", name = "stock")
class StoredStock {

  @Id private long beanId;
  private long quantity;
  private BigDecimal price = BigDecimal.ZERO;

  /** Of the library. */
  StoredStock() {}

  long beanId() {
    return beanId;
  }

  long quantity() {
    return quantity;
  }

  BigDecimal price() {
    return price;
  }

  boolean has(long wanted) {
    return quantity >= wanted;
  }

  void take(long wanted) {
    quantity -= wanted;
  }

  void giveBack(long taken) {
    quantity += taken;
  }

  Stock shown() {
    return new Stock(beanId, quantity, price);
  }
}
