package testbed.market.clients;

import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** A client with an order in progress cannot be removed. */
public class OrderInProgress extends ProblemException {

  OrderInProgress(String client) {
    super(ProblemType.ORDER_IN_PROGRESS, "An order of %s is in progress.".formatted(client));
  }
}
