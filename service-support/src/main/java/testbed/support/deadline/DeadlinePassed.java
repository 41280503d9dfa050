package testbed.support.deadline;

import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** Too little time is left for the work; it was not begun. */
public class DeadlinePassed extends ProblemException {

  public DeadlinePassed() {
    super(ProblemType.TIME_LIMIT, "Too little of the caller's time was left.");
  }
}
