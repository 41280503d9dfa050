package testbed.contracts;

import java.util.List;

/** One movie of a cinema's catalogue and the times at which it is shown each day. */
public record Movie(MovieId id, String name, List<ShowTime> showTimes) {

  public Movie {
    showTimes = List.copyOf(showTimes);
  }
}
