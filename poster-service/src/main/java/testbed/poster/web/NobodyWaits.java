package testbed.poster.web;

import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** A finished poster comes after its client has gone, or has been told that it is too late. */
class NobodyWaits extends ProblemException {

  NobodyWaits() {
    super(ProblemType.NOT_FOUND, "No request waits for this poster.");
  }
}
