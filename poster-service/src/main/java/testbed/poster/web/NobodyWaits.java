package testbed.poster.web;

import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** A finished poster arrived after its client had gone or got a timeout. */
class NobodyWaits extends ProblemException {

  NobodyWaits() {
    super(ProblemType.NOT_FOUND, "No request waits for this poster.");
  }
}
