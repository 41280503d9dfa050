package testbed.broker.operation;

import java.time.Duration;
import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** The request was not accepted; the client may try again. */
class Unavailable extends ProblemException {

  private Unavailable(String detail) {
    super(ProblemType.UNAVAILABLE, detail, Duration.ofSeconds(1));
  }

  static Unavailable storeIsFull(int pending) {
    return new Unavailable(
        "The request is rejected: %d operations are pending already.".formatted(pending));
  }

  static Unavailable noQueue() {
    return new Unavailable("The request is rejected: no queue has taken it.");
  }

  static Unavailable notConfirmed() {
    return new Unavailable("The request could not be handed over to the message server.");
  }
}
