package testbed.broker.operation;

import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/**
 * A request with an idempotency key was not confirmed in time. It is not withdrawn, because its key
 * would then be used up: the client sends it again.
 */
class MayBeCarriedOut extends ProblemException {

  MayBeCarriedOut() {
    super(
        ProblemType.TIME_LIMIT,
        "The message server has not confirmed the request in time. It may be carried out: send it"
            + " again with the same Idempotency-Key.");
  }
}
