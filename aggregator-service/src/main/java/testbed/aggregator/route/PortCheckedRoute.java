package testbed.aggregator.route;

import java.net.BindException;
import org.springframework.web.client.ResourceAccessException;
import testbed.aggregator.movie.CinemaRoute;
import testbed.aggregator.movie.NoPortLeft;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;

/** Distinguishes "no local port left" from "the cinema cannot be reached". */
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
      // The operating system's EADDRNOTAVAIL. No client here chooses its port, so nothing else
      // fails to bind; the JDK's own client and Apache's both let it through.
      throw unreachable.contains(BindException.class) ? new NoPortLeft() : unreachable;
    }
  }
}
