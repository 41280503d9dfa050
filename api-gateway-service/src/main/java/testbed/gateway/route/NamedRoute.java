package testbed.gateway.route;

import org.springframework.cloud.gateway.filter.GatewayFilter;
import org.springframework.http.server.reactive.observation.ServerRequestObservationContext;

/** What a request is called in the metrics. */
final class NamedRoute {

  private NamedRoute() {}

  /** Without this every routed request would be counted under one name. */
  static GatewayFilter named(String path) {
    return (exchange, chain) -> {
      ServerRequestObservationContext.findCurrent(exchange.getAttributes())
          .ifPresent(observation -> observation.setPathPattern(path));
      return chain.filter(exchange);
    };
  }
}
