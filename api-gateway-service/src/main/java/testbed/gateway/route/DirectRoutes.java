package testbed.gateway.route;

import static java.util.stream.Collectors.toMap;

import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.cloud.client.discovery.event.HeartbeatEvent;
import org.springframework.context.annotation.Profile;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.server.PathContainer;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import reactor.core.publisher.Mono;
import testbed.discovery.RegisteredCinemas;
import testbed.gateway.RoutingProfile;
import testbed.gateway.breaker.GuardedService;
import testbed.gateway.breaker.GuardedServices;

/**
 * The same routes as {@link ServiceRoutes}, without the gateway library: one filter in place of a
 * handler, predicates and a chain of filters for each request. Last in the chain, after access
 * control.
 */
@Component
@Profile(RoutingProfile.DIRECT)
@Order(Ordered.LOWEST_PRECEDENCE)
class DirectRoutes implements WebFilter {

  private static final String API = "/api/**";

  private final GuardedServices services;
  private final RegisteredCinemas cinemas;
  private final RouteSettings settings;

  /** By path. Routes are added and never removed, so that breakers keep their state. */
  private volatile Map<String, Route> routes;

  DirectRoutes(GuardedServices services, RegisteredCinemas cinemas, RouteSettings settings) {
    this.services = services;
    this.cinemas = cinemas;
    this.settings = settings;
    this.routes =
        settings.market()
            ? MarketRoute.ALL.stream()
                .collect(toMap(MarketRoute::path, part -> route(part.service(), part.path())))
            : Map.of(API, route("aggregator-service", API));
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
    var path = exchange.getRequest().getPath().pathWithinApplication();
    for (var route : routes.values()) {
      if (route.leads(path)) {
        return route.pass(exchange);
      }
    }
    return chain.filter(exchange);
  }

  /** The registry may have answered before this listener existed. */
  @EventListener({HeartbeatEvent.class, ContextRefreshedEvent.class})
  synchronized void registryAnswered() {
    var added = new LinkedHashMap<>(routes);
    for (var cinema : cinemas.known()) {
      added.computeIfAbsent(
          "/cinema/%s/**".formatted(cinema), path -> route(cinema.serviceName(), path));
    }
    routes = added;
  }

  private Route route(String service, String path) {
    return new Route(
        PathPatternParser.defaultInstance.parse(path),
        services.guard(service, () -> cinemas.instancesOf(service), settings.newBalancer()));
  }

  private record Route(PathPattern path, GuardedService service) {

    boolean leads(PathContainer asked) {
      return path.matches(asked);
    }

    Mono<Void> pass(ServerWebExchange exchange) {
      NamedRoute.name(exchange, path.getPatternString());
      return service.pass(exchange);
    }
  }
}
