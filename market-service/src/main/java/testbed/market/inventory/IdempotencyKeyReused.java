package testbed.market.inventory;

import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** The client has ordered something else under this key. */
public class IdempotencyKeyReused extends ProblemException {

  IdempotencyKeyReused() {
    super(ProblemType.IDEMPOTENCY_KEY_REUSED, "The key belongs to an order of other beans.");
  }
}
