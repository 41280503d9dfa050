package testbed.gateway.route;

import org.springframework.cloud.gateway.filter.GatewayFilter;
import org.springframework.http.server.reactive.observation.ServerRequestObservationContext;

/** The name of a request in the metrics. */
final class NamedRoute {

  private NamedRoute() {}

  /** Otherwise the metrics would count every routed request under one name. */
  static GatewayFilter named(String path) {
    return (exchange, chain) -> {
      ServerRequestObservationContext.findCurrent(exchange.getAttributes())
          .ifPresent(observation -> observation.setPathPattern(path));
      return chain.filter(exchange);
    };
  }
}
