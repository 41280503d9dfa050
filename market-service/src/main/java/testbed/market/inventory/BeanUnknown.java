package testbed.market.inventory;

import java.util.List;
import java.util.stream.Collectors;
import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** Beans that are ordered are not sold. */
public class BeanUnknown extends ProblemException {

  BeanUnknown(List<Long> beans) {
    super(
        ProblemType.REFERENCE_UNKNOWN,
        beans.stream().map("Bean %d is not sold."::formatted).collect(Collectors.joining(" ")));
  }
}
