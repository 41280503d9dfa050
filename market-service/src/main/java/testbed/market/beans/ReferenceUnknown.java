package testbed.market.beans;

import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** What the request refers to does not exist. */
public class ReferenceUnknown extends ProblemException {

  ReferenceUnknown(String what, long id) {
    super(ProblemType.REFERENCE_UNKNOWN, "There is no %s %d.".formatted(what, id));
  }

  ReferenceUnknown() {
    super(ProblemType.REFERENCE_UNKNOWN, "What the request refers to has just been removed.");
  }
}
