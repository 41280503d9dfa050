package testbed.aggregator.movie;

import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** No cinema is registered, and none is remembered. */
class NoCinemaKnown extends ProblemException {

  NoCinemaKnown() {
    super(ProblemType.UNAVAILABLE, "No cinema is registered.");
  }
}
