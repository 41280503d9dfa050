package testbed.market.inventory;

import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** The bean is not sold. */
public class StockUnknown extends ProblemException {

  StockUnknown(long beanId) {
    super(ProblemType.NOT_FOUND, "Bean %d is not sold.".formatted(beanId));
  }
}
