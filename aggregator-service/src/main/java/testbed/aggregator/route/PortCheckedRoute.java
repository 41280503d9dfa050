package testbed.aggregator.route;

import java.net.BindException;
import org.springframework.web.client.ResourceAccessException;
import testbed.aggregator.movie.CinemaRoute;
import testbed.aggregator.movie.NoPortLeft;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;

/** Tells a question that failed for lack of a local port from one to a cinema that is away. */
class PortCheckedRoute implements CinemaRoute {

  private final CinemaRoute route;

  PortCheckedRoute(CinemaRoute route) {
    this.route = route;
  }

  @Override
  public Question ask(CinemaName cinema) {
    var asked = route.ask(cinema);
    return () -> answer(asked);
  }

  private static Cinema answer(Question asked) {
    try {
      return asked.answer();
    } catch (ResourceAccessException unreachable) {
      // The system's EADDRNOTAVAIL. No client here chooses its port, so nothing else is a failure
      // to bind; the JDK's own client and Apache's both let it through.
      throw unreachable.contains(BindException.class) ? new NoPortLeft() : unreachable;
    }
  }
}
