package testbed.aggregator.route;

import java.net.URI;
import testbed.aggregator.movie.CinemaRoute;
import testbed.contracts.CinemaName;

/** Through the gateway, which knows where the cinemas are and breaks their circuits. */
class GatewayRoute implements CinemaRoute {

  private final CinemaClient client;
  private final URI gateway;

  GatewayRoute(CinemaClient client, URI gateway) {
    this.client = client;
    this.gateway = gateway;
  }

  @Override
  public Question ask(CinemaName cinema) {
    return client.ask(gateway, cinema);
  }
}
