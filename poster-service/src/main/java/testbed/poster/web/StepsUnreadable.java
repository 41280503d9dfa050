package testbed.poster.web;

import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** A request names steps that do not exist. */
class StepsUnreadable extends ProblemException {

  StepsUnreadable() {
    super(
        ProblemType.INVALID_REQUEST,
        "%s: must be steps such as adjust, convert, label.".formatted(PosterApi.STEPS));
  }
}
