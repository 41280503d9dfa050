package testbed.market.beans;

import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** Others refer to it, so that it cannot be removed. */
public class StillUsed extends ProblemException {

  StillUsed(String what, long id) {
    super(ProblemType.STILL_USED, "Others refer to %s %d.".formatted(what, id));
  }
}
