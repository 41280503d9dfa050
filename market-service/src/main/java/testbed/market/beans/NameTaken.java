package testbed.market.beans;

import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** Another one has the name, in the same country or region. */
public class NameTaken extends ProblemException {

  NameTaken(String what) {
    super(ProblemType.NAME_TAKEN, "Another %s has this name.".formatted(what));
  }
}
