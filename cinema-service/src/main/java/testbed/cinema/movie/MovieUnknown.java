package testbed.cinema.movie;

import testbed.contracts.CinemaName;
import testbed.contracts.MovieId;
import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** The cinema's catalogue has no such movie. */
public class MovieUnknown extends ProblemException {

  public MovieUnknown(CinemaName cinema, MovieId movie) {
    super(ProblemType.MOVIE_UNKNOWN, "Cinema %s has no movie %s.".formatted(cinema, movie));
  }
}
