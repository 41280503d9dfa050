package testbed.broker.operation;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import testbed.contracts.CinemaName;
import testbed.contracts.message.CinemaMessage.ListMovies.MoviesListed;
import testbed.contracts.message.CinemaMessage.Response;
import testbed.support.presence.KnownCinemas;

/**
 * Shares equal catalogues between answers: thousands of answers are held at a time. Bounded by the
 * number of cinemas, of which no more than {@value KnownCinemas#MOST} count.
 */
final class Catalogues {

  private final Map<CinemaName, MoviesListed> latest = new ConcurrentHashMap<>();

  /** The equal response that is held already, if any; otherwise this one is held from now on. */
  Optional<Response> held(Response response) {
    if (!(response instanceof MoviesListed listed)) {
      return Optional.empty();
    }
    var known = latest.get(listed.cinema());
    if (known != null && known.equals(listed)) {
      return Optional.of(known);
    }
    if (latest.size() >= KnownCinemas.MOST) {
      latest.clear();
    }
    latest.put(listed.cinema(), listed);
    return Optional.empty();
  }
}
