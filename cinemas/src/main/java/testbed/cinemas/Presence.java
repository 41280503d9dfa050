package testbed.cinemas;

import java.util.Collection;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;
import testbed.contracts.CinemaName;

/**
 * The cinemas at one moment.
 *
 * @param present the cinemas to ask, by name
 * @param missing the cinemas that are remembered but gone, by name
 */
public record Presence(SortedSet<CinemaName> present, SortedSet<CinemaName> missing) {

  public Presence {
    present = Collections.unmodifiableSortedSet(present);
    missing = Collections.unmodifiableSortedSet(missing);
  }

  public static Presence of(Collection<CinemaName> present, Collection<CinemaName> missing) {
    return new Presence(new TreeSet<>(present), new TreeSet<>(missing));
  }
}
