package testbed.aggregator.movie;

import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/**
 * This machine has no local port left for a connection. Every closed connection keeps its port for
 * a while, so a new one for each call uses them up under load; no cinema is to blame.
 */
public class NoPortLeft extends ProblemException {

  public NoPortLeft() {
    super(ProblemType.PORTS_EXHAUSTED, "The aggregator has no local port left to ask a cinema.");
  }
}
