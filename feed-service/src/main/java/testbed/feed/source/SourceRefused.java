package testbed.feed.source;

import java.time.Duration;
import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** The source did not answer this request. */
public class SourceRefused extends ProblemException {

  SourceRefused() {
    super(
        ProblemType.UNAVAILABLE,
        "The source of exchange rates refused the request.",
        Duration.ofSeconds(1));
  }
}
