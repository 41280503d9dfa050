package testbed.broker.operation;

import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** This broker has not issued the id, or for another operation, or for another client. */
class CorrelationUnknown extends ProblemException {

  CorrelationUnknown(CorrelationId id) {
    super(
        ProblemType.CORRELATION_UNKNOWN,
        "No operation of this kind has the correlation id %s.".formatted(id));
  }
}
