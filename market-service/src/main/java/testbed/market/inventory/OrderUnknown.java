package testbed.market.inventory;

import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** The client has no such order, whether or not another one has. */
public class OrderUnknown extends ProblemException {

  OrderUnknown(long number) {
    super(ProblemType.NOT_FOUND, "There is no order %d.".formatted(number));
  }
}
