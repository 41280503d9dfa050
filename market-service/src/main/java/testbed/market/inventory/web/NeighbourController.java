package testbed.market.inventory.web;

import java.util.Collection;
import java.util.List;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import testbed.market.between.InventoryPaths;
import testbed.market.between.Stock;
import testbed.market.inventory.Stocks;
import testbed.market.part.Part;
import testbed.market.part.PartOf;

/** Answers other parts, where clients cannot reach this process. */
@RestController
@PartOf(Part.INVENTORY)
@ConditionalOnBooleanProperty(name = "market.front", havingValue = false)
class NeighbourController {

  private final Stocks stocks;

  NeighbourController(Stocks stocks) {
    this.stocks = stocks;
  }

  @GetMapping(InventoryPaths.STOCK)
  Stock stock(@PathVariable long beanId) {
    return stocks.get(beanId);
  }

  @GetMapping(InventoryPaths.STOCKS)
  List<Stock> stocks(@RequestParam Collection<Long> beanIds) {
    return stocks.stocks(beanIds);
  }

  @DeleteMapping(InventoryPaths.STOCK)
  @ResponseStatus(HttpStatus.NO_CONTENT)
  void remove(@PathVariable long beanId) {
    stocks.remove(beanId);
  }

  /** 409 if one is in progress. */
  @DeleteMapping(InventoryPaths.ORDERS)
  ResponseEntity<Void> removeOrders(@PathVariable String client) {
    return ResponseEntity.status(
            stocks.removeOrdersOf(client) ? HttpStatus.NO_CONTENT : HttpStatus.CONFLICT)
        .build();
  }
}
