package testbed.poster.web;

import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** A body does not say its length, so there is no telling how much room it needs. */
class LengthUnknown extends ProblemException {

  LengthUnknown() {
    super(ProblemType.LENGTH_REQUIRED, "The request needs a Content-Length.");
  }
}
