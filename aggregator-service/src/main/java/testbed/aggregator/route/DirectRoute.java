package testbed.aggregator.route;

import java.io.InterruptedIOException;
import java.net.BindException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClientResponseException;
import testbed.aggregator.movie.CinemaRoute;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;
import testbed.support.deadline.Deadline;
import testbed.support.instance.SilentInstances;

/**
 * Straight to a registered instance: each in turn, and the next one if an instance cannot be
 * reached, since it may have stopped a moment ago. Those that do not answer are left out. A choice
 * from a list that is in memory anyway; Spring Cloud LoadBalancer's reactive chain would cost more
 * than the call's preparation.
 */
class DirectRoute implements CinemaRoute {

  private final CinemaClient client;
  private final Function<CinemaName, List<URI>> instances;

  /**
   * One for each cinema: with a common one, a list that asks every cinema would take as many turns
   * as there are cinemas, and of an even number each would get the same instance every time.
   */
  private final Map<CinemaName, Turns> turns = new ConcurrentHashMap<>();

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
    var ofCinema = turns.computeIfAbsent(cinema, this::newTurns);
    int turn = ofCinema.next.getAndIncrement();
    var first = ask(inTurn(ofCinema.silent.leaveOut(addresses), turn), cinema);
    return () -> answer(cinema, first, addresses, ofCinema.silent, turn);
  }

  private Turns newTurns(CinemaName cinema) {
    return new Turns(new AtomicInteger(), new SilentInstances(() -> instances.apply(cinema)));
  }

  private Asked ask(URI instance, CinemaName cinema) {
    return new Asked(instance, System.nanoTime(), client.ask(instance, cinema));
  }

  private Cinema answer(
      CinemaName cinema, Asked asked, List<URI> left, SilentInstances silent, int turn) {
    try {
      var answer = asked.question.answer();
      silent.answered(asked.instance);
      return answer;
    } catch (RestClientResponseException refusal) {
      silent.answered(asked.instance);
      throw refusal;
    } catch (ResourceAccessException unreachable) {
      note(asked, unreachable, silent);
      var others = left.stream().filter(instance -> !instance.equals(asked.instance)).toList();
      if (others.isEmpty() || isOver()) {
        throw unreachable;
      }
      var next = ask(inTurn(silent.leaveOut(others), turn), cinema);
      return answer(cinema, next, others, silent, turn);
    }
  }

  private static void note(
      Asked asked, ResourceAccessException unreachable, SilentInstances silent) {
    if (unreachable.contains(InterruptedIOException.class)) {
      // Of a socket, or of the wait for a connection, which says nothing.
      silent.gaveUp(asked.instance, asked.nanos);
    } else if (!unreachable.contains(BindException.class)) {
      silent.failed(asked.instance);
    }
  }

  private static URI inTurn(List<URI> addresses, int turn) {
    return addresses.get(Math.floorMod(turn, addresses.size()));
  }

  private static boolean isOver() {
    var deadline = Deadline.current();
    return deadline != null && deadline.millisLeft() == 0;
  }

  /**
   * Of one cinema.
   *
   * @param next of its instances
   */
  private record Turns(AtomicInteger next, SilentInstances silent) {}

  private record Asked(URI instance, long nanos, Question question) {}
}
