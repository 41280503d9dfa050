package testbed.market.database;

import java.time.Duration;
import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** The database does not answer, or not in time: nothing has been changed. */
public class DatabaseAway extends ProblemException {

  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  DatabaseAway() {
    super(ProblemType.UNAVAILABLE, "The database does not answer in time.", RETRY_AFTER);
  }
}
