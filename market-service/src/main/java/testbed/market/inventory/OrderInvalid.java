package testbed.market.inventory;

import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** What is ordered can be no order. */
public class OrderInvalid extends ProblemException {

  OrderInvalid(String detail) {
    super(ProblemType.INVALID_REQUEST, detail);
  }
}
