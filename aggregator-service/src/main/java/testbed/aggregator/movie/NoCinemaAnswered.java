package testbed.aggregator.movie;

import java.util.Collection;
import java.util.stream.Collectors;
import testbed.contracts.CinemaName;
import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** Cinemas are known, and none of them answered in time. */
class NoCinemaAnswered extends ProblemException {

  NoCinemaAnswered(Collection<CinemaName> missing) {
    super(
        ProblemType.NO_ANSWER,
        "No answer from: %s."
            .formatted(
                missing.stream().map(CinemaName::toString).collect(Collectors.joining(", "))));
  }
}
