package testbed.market.beans;

import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** Nothing has this id. */
public class Unknown extends ProblemException {

  Unknown(String what, long id) {
    super(ProblemType.NOT_FOUND, "There is no %s %d.".formatted(what, id));
  }
}
