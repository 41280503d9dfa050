package testbed.aggregator.route;

import java.net.URI;
import testbed.aggregator.movie.CinemaRoute;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;

/** Through the gateway, which knows where the cinemas are and breaks their circuits. */
class GatewayRoute implements CinemaRoute {

  private final CinemaApi api;
  private final URI gateway;

  GatewayRoute(CinemaApi api, URI gateway) {
    this.api = api;
    this.gateway = gateway;
  }

  @Override
  public Cinema ask(CinemaName cinema) {
    return api.movies(CinemaApi.moviesAt(gateway, cinema));
  }
}
