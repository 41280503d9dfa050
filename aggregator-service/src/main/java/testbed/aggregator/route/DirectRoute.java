package testbed.aggregator.route;

import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.web.client.ResourceAccessException;
import testbed.aggregator.movie.CinemaRoute;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;

/**
 * Straight to a registered instance: each in turn, and the next one if an instance cannot be
 * reached, since it may have stopped a moment ago. A choice from a list that is in memory anyway;
 * Spring Cloud LoadBalancer's reactive chain would cost more than the call's preparation.
 */
class DirectRoute implements CinemaRoute {

  private final CinemaApi api;
  private final Function<CinemaName, List<URI>> instances;

  /**
   * One for each cinema: with a common one, a list that asks every cinema would take as many turns
   * as there are cinemas, and of an even number each would get the same instance every time.
   */
  private final Map<CinemaName, AtomicInteger> turns = new ConcurrentHashMap<>();

  DirectRoute(CinemaApi api, Function<CinemaName, List<URI>> instances) {
    this.api = api;
    this.instances = instances;
  }

  @Override
  public Cinema ask(CinemaName cinema) {
    var addresses = instances.apply(cinema);
    var first = turns.computeIfAbsent(cinema, none -> new AtomicInteger()).getAndIncrement();
    @Nullable ResourceAccessException unreachable = null;
    for (int i = 0; i < addresses.size(); i++) {
      var address = addresses.get(Math.floorMod(first + i, addresses.size()));
      try {
        return api.movies(CinemaApi.moviesAt(address, cinema));
      } catch (ResourceAccessException failure) {
        unreachable = failure;
      }
    }
    throw unreachable != null
        ? unreachable
        : new ResourceAccessException("%s has no instance".formatted(cinema));
  }
}
