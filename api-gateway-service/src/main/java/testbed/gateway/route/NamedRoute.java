package testbed.gateway.route;

import org.springframework.cloud.gateway.filter.GatewayFilter;
import org.springframework.http.server.reactive.observation.ServerRequestObservationContext;
import org.springframework.web.server.ServerWebExchange;

/** The name of a request in the metrics. */
final class NamedRoute {

  private NamedRoute() {}

  static GatewayFilter named(String path) {
    return (exchange, chain) -> {
      name(exchange, path);
      return chain.filter(exchange);
    };
  }

  /** Otherwise the metrics would count every routed request under one name. */
  static void name(ServerWebExchange exchange, String path) {
    ServerRequestObservationContext.findCurrent(exchange.getAttributes())
        .ifPresent(observation -> observation.setPathPattern(path));
  }
}
