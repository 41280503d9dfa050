package testbed.aggregator.movie;

import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;

/**
 * Every answer that arrived in time.
 *
 * @param cinemas the cinemas that answered, by name
 * @param missing the cinemas that are known and did not answer, by name
 */
public record MovieList(List<Cinema> cinemas, SortedSet<CinemaName> missing) {

  public MovieList {
    cinemas = List.copyOf(cinemas);
    missing = Collections.unmodifiableSortedSet(new TreeSet<>(missing));
  }
}
