package testbed.support.deadline;

import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** The caller will not wait for the end of what would have to be done; it was not begun. */
public class DeadlinePassed extends ProblemException {

  public DeadlinePassed() {
    super(ProblemType.TIME_LIMIT, "Too little of the caller's time was left.");
  }
}
