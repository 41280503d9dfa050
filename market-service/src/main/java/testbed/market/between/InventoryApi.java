package testbed.market.between;

import java.util.Collection;
import java.util.List;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.service.annotation.DeleteExchange;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.util.UriBuilderFactory;

/** The inventory of another process, at an instance of it. */
interface InventoryApi {

  @GetExchange(InventoryPaths.STOCK)
  ResponseEntity<Stock> stock(UriBuilderFactory instance, @PathVariable long beanId);

  @GetExchange(InventoryPaths.STOCKS)
  ResponseEntity<List<Stock>> stocks(
      UriBuilderFactory instance, @RequestParam Collection<Long> beanIds);

  @DeleteExchange(InventoryPaths.STOCK)
  ResponseEntity<Void> remove(UriBuilderFactory instance, @PathVariable long beanId);

  @DeleteExchange(InventoryPaths.ORDERS)
  ResponseEntity<Void> removeOrders(UriBuilderFactory instance, @PathVariable String client);
}
