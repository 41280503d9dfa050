package testbed.market.between;

import java.time.Duration;
import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** The inventory does not answer. */
public class InventoryAway extends ProblemException {

  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  InventoryAway() {
    super(ProblemType.UNAVAILABLE, "The inventory does not answer.", RETRY_AFTER);
  }
}
