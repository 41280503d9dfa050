package testbed.poster.work;

import java.time.Duration;
import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** A poster did not get its turn in time. */
class Busy extends ProblemException {

  Busy() {
    super(ProblemType.UNAVAILABLE, "Too many posters are being worked on.", Duration.ofSeconds(1));
  }
}
