package testbed.broker.operation;

import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** No cinema of this name has a queue or was ever seen. */
class CinemaUnknown extends ProblemException {

  CinemaUnknown(String cinema) {
    super(ProblemType.CINEMA_UNKNOWN, "There is no cinema '%s'.".formatted(cinema));
  }
}
