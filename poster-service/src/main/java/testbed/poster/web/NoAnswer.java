package testbed.poster.web;

import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** The services of the next steps did not answer in time. */
class NoAnswer extends ProblemException {

  NoAnswer() {
    super(ProblemType.TIME_LIMIT, "The services of the next steps did not answer in time.");
  }
}
