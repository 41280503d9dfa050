package testbed.broker.operation;

import java.time.Duration;
import java.util.Optional;
import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** The request was not accepted; the client may try again. */
class Unavailable extends ProblemException {

  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private Unavailable(String detail) {
    super(ProblemType.UNAVAILABLE, detail);
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

  @Override
  public Optional<Duration> retryAfter() {
    return Optional.of(RETRY_AFTER);
  }
}
