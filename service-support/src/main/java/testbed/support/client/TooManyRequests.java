package testbed.support.client;

import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** The client has exceeded its rate limit. */
public class TooManyRequests extends ProblemException {

  TooManyRequests(Rate rate) {
    super(
        ProblemType.TOO_MANY_REQUESTS,
        "A client may make %d requests in %d s."
            .formatted(rate.requests(), rate.period().toSeconds()),
        rate.period());
  }
}
