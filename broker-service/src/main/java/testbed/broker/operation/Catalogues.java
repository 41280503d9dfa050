package testbed.broker.operation;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import testbed.contracts.CinemaName;
import testbed.contracts.message.CinemaMessage.ListMovies.MoviesListed;
import testbed.contracts.message.CinemaMessage.Response;

/**
 * Keeps one copy of what cinemas list again and again: thousands of answers are held at a time, and
 * each would otherwise hold its own equal catalogue. Bounded by the number of cinemas.
 */
final class Catalogues {

  private final Map<CinemaName, MoviesListed> latest = new ConcurrentHashMap<>();

  /** A response that is held already and equal to this one; else this one is held from now on. */
  Optional<Response> held(Response response) {
    if (!(response instanceof MoviesListed listed)) {
      return Optional.empty();
    }
    var known = latest.get(listed.cinema());
    if (known != null && known.equals(listed)) {
      return Optional.of(known);
    }
    latest.put(listed.cinema(), listed);
    return Optional.empty();
  }
}
