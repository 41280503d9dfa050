package testbed.market.clients;

import java.time.Duration;
import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** A change is stored, and the token server has not confirmed it. */
public class NotYetConfirmed extends ProblemException {

  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  NotYetConfirmed() {
    super(
        ProblemType.UNAVAILABLE,
        "The token server does not answer. It gets the change as soon as it does.",
        RETRY_AFTER);
  }
}
