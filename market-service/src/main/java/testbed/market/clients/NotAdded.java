package testbed.market.clients;

import java.time.Duration;
import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** Adding a client took so long that it was given up. */
public class NotAdded extends ProblemException {

  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  NotAdded() {
    super(ProblemType.UNAVAILABLE, "The client could not be added in time.", RETRY_AFTER);
  }
}
