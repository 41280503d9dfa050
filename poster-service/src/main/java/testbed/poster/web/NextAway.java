package testbed.poster.web;

import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** The service of the next step cannot be reached. */
class NextAway extends ProblemException {

  NextAway() {
    super(ProblemType.UNAVAILABLE, "The service of the next step cannot be reached.");
  }
}
