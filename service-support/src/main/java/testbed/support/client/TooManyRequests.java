package testbed.support.client;

import java.time.Duration;
import java.util.Optional;
import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** The client has exceeded its rate limit. */
public class TooManyRequests extends ProblemException {

  private final Duration period;

  TooManyRequests(Rate rate) {
    super(
        ProblemType.TOO_MANY_REQUESTS,
        "A client may make %d requests in %d s."
            .formatted(rate.requests(), rate.period().toSeconds()));
    this.period = rate.period();
  }

  @Override
  public Optional<Duration> retryAfter() {
    return Optional.of(period);
  }
}
