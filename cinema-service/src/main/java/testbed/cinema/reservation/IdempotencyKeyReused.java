package testbed.cinema.reservation;

import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** Another reservation has been made, or is being made, under this key. */
public class IdempotencyKeyReused extends ProblemException {

  IdempotencyKeyReused() {
    super(ProblemType.IDEMPOTENCY_KEY_REUSED, "The key belongs to a reservation of other content.");
  }
}
