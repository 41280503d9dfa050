package testbed.market.inventory.web;

import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import testbed.contracts.IdempotencyKey;
import testbed.market.inventory.Item;
import testbed.market.inventory.Order;
import testbed.market.inventory.OrderStatus;
import testbed.market.inventory.Orders;
import testbed.market.part.Part;
import testbed.market.part.PartOf;
import testbed.market.web.Client;
import testbed.market.web.Parameters;

/** A client's orders. Only administrators end one as successful; the front checks that. */
@RestController
@PartOf(Part.INVENTORY)
@RequestMapping(OrdersController.PATH)
class OrdersController {

  static final String PATH = "/api/inventory/orders";
  private static final String NUMBER = "/{number:\\d{1,18}}";

  private final Orders orders;

  OrdersController(Orders orders) {
    this.orders = orders;
  }

  @PostMapping
  ResponseEntity<Order> place(
      Client client, @Nullable IdempotencyKey key, @RequestBody List<@Nullable Item> items) {
    var order = orders.place(client.name(), key, items);
    return ResponseEntity.created(URI.create("%s/%d".formatted(PATH, order.orderNumber())))
        .body(order);
  }

  @GetMapping
  List<Order> list(Client client, Parameters parameters) {
    return orders.list(
        client.name(), parameters.choice("status", OrderStatus.class), parameters.pageOrFirst());
  }

  @GetMapping(NUMBER)
  Order get(Client client, @PathVariable long number) {
    return orders.get(client.name(), number);
  }

  @DeleteMapping(NUMBER)
  Order cancel(Client client, @PathVariable long number) {
    return orders.cancel(client.name(), number);
  }

  @PutMapping(NUMBER)
  Order end(@PathVariable long number, @Valid @RequestBody End end) {
    return orders.end(number, end.status());
  }

  record End(@NotNull OrderStatus status) {}
}
