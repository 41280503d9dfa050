package testbed.broker.operation;

import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** The deadline has passed, or every cinema has failed, and there is no answer. */
class NoAnswer extends ProblemException {

  NoAnswer(Operation<?> operation) {
    super(
        ProblemType.NO_ANSWER,
        operation
            .cinema()
            .map("Cinema %s has not answered in time."::formatted)
            .orElse("No cinema has answered in time."));
  }
}
