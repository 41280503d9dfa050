package testbed.cinema.movie;

import java.util.List;
import java.util.stream.Collectors;
import testbed.contracts.Movie;
import testbed.contracts.ProblemType;
import testbed.contracts.ShowTime;
import testbed.support.problem.ProblemException;

/** The cinema has the movie but does not show it at this time. */
public class ShowingUnknown extends ProblemException {

  public ShowingUnknown(Movie movie, ShowTime time) {
    super(
        ProblemType.SHOWING_UNKNOWN,
        "%s (%s) is not shown at %s but at %s."
            .formatted(movie.id(), movie.name(), time, listed(movie.showTimes())));
  }

  private static String listed(List<ShowTime> times) {
    return times.stream().map(ShowTime::toString).collect(Collectors.joining(", "));
  }
}
