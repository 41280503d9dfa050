package testbed.broker.operation;

import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** The answer is no longer kept. */
class CorrelationExpired extends ProblemException {

  CorrelationExpired(CorrelationId id) {
    super(
        ProblemType.CORRELATION_EXPIRED,
        "The answer to the correlation id %s is no longer kept.".formatted(id));
  }
}
