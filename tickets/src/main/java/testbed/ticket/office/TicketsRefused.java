package testbed.ticket.office;

import java.time.Duration;
import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** The limit of waiting tickets is reached. */
public class TicketsRefused extends ProblemException {

  public TicketsRefused() {
    super(ProblemType.TICKETS_REFUSED, "Too many tickets wait to be built.", Duration.ofSeconds(1));
  }
}
