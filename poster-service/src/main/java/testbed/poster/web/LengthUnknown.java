package testbed.poster.web;

import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** A body without a length: its memory cannot be reserved. */
class LengthUnknown extends ProblemException {

  LengthUnknown() {
    super(ProblemType.LENGTH_REQUIRED, "The request needs a Content-Length.");
  }
}
