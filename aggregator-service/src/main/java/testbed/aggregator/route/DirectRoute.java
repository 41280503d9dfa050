package testbed.aggregator.route;

import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.springframework.web.client.ResourceAccessException;
import testbed.aggregator.movie.CinemaRoute;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;
import testbed.support.deadline.Deadline;

/**
 * Straight to a registered instance: each in turn, and the next one if an instance cannot be
 * reached, since it may have stopped a moment ago. A choice from a list that is in memory anyway;
 * Spring Cloud LoadBalancer's reactive chain would cost more than the call's preparation.
 */
class DirectRoute implements CinemaRoute {

  private final CinemaClient client;
  private final Function<CinemaName, List<URI>> instances;

  /**
   * One for each cinema: with a common one, a list that asks every cinema would take as many turns
   * as there are cinemas, and of an even number each would get the same instance every time.
   */
  private final Map<CinemaName, AtomicInteger> turns = new ConcurrentHashMap<>();

  DirectRoute(CinemaClient client, Function<CinemaName, List<URI>> instances) {
    this.client = client;
    this.instances = instances;
  }

  @Override
  public Question ask(CinemaName cinema) {
    var addresses = instances.apply(cinema);
    if (addresses.isEmpty()) {
      return () -> {
        throw new ResourceAccessException("%s has no instance".formatted(cinema));
      };
    }
    var turn = turns.computeIfAbsent(cinema, none -> new AtomicInteger()).getAndIncrement();
    var first = client.ask(inTurn(addresses, turn), cinema);
    return () -> answer(cinema, addresses, turn, first);
  }

  private Cinema answer(CinemaName cinema, List<URI> addresses, int turn, Question first) {
    var question = first;
    for (int asked = 1; ; asked++) {
      try {
        return question.answer();
      } catch (ResourceAccessException unreachable) {
        if (asked == addresses.size() || isOver()) {
          throw unreachable;
        }
        question = client.ask(inTurn(addresses, turn + asked), cinema);
      }
    }
  }

  private static URI inTurn(List<URI> addresses, int turn) {
    return addresses.get(Math.floorMod(turn, addresses.size()));
  }

  private static boolean isOver() {
    var deadline = Deadline.current();
    return deadline != null && deadline.millisLeft() == 0;
  }
}
