package testbed.ticket.office;

import java.time.Duration;
import java.util.Optional;
import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** The limit of waiting tickets is reached. */
public class TicketsRefused extends ProblemException {

  private static final Duration SOON = Duration.ofSeconds(1);

  public TicketsRefused() {
    super(ProblemType.TICKETS_REFUSED, "Too many tickets wait to be built.");
  }

  @Override
  public Optional<Duration> retryAfter() {
    return Optional.of(SOON);
  }
}
