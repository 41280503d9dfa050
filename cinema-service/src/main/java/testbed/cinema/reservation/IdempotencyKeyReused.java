package testbed.cinema.reservation;

import testbed.contracts.IdempotencyKey;
import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** Another reservation has been made under this key. */
public class IdempotencyKeyReused extends ProblemException {

  IdempotencyKeyReused(IdempotencyKey key) {
    super(
        ProblemType.IDEMPOTENCY_KEY_REUSED,
        "The key %s belongs to a reservation of other content.".formatted(key));
  }
}
