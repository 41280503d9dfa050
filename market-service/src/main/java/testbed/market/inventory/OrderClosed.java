package testbed.market.inventory;

import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** The order has ended, and keeps its state. */
public class OrderClosed extends ProblemException {

  OrderClosed(long number, OrderStatus status) {
    super(ProblemType.ORDER_CLOSED, "Order %d is %s.".formatted(number, status));
  }
}
