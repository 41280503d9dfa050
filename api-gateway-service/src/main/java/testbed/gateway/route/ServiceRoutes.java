package testbed.gateway.route;

import java.util.Set;
import org.springframework.cloud.client.discovery.event.HeartbeatEvent;
import org.springframework.cloud.gateway.event.RefreshRoutesEvent;
import org.springframework.cloud.gateway.route.Route;
import org.springframework.cloud.gateway.route.RouteLocator;
import org.springframework.cloud.gateway.route.builder.RouteLocatorBuilder;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Profile;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Flux;
import testbed.contracts.CinemaName;
import testbed.discovery.RegisteredCinemas;
import testbed.gateway.RoutingProfile;
import testbed.gateway.breaker.StockBreakers;

/**
 * A route to the aggregator, and one to every cinema that the registry knows or has known. A cinema
 * that is gone keeps its route, so that its clients are told that it is unavailable and not that it
 * never existed.
 */
@Component
@Profile(RoutingProfile.STOCK)
class ServiceRoutes implements RouteLocator {

  private static final String AGGREGATOR = "aggregator-service";

  private final RouteLocatorBuilder routes;
  private final StockBreakers breakers;
  private final RegisteredCinemas cinemas;
  private final RouteSettings settings;
  private final ApplicationEventPublisher events;
  private Set<CinemaName> routed = Set.of();

  ServiceRoutes(
      RouteLocatorBuilder routes,
      StockBreakers breakers,
      RegisteredCinemas cinemas,
      RouteSettings settings,
      ApplicationEventPublisher events) {
    this.routes = routes;
    this.breakers = breakers;
    this.cinemas = cinemas;
    this.settings = settings;
    this.events = events;
  }

  @Override
  public Flux<Route> getRoutes() {
    return Flux.defer(
        () -> {
          var builder = routes.routes();
          if (settings.market()) {
            MarketRoute.ALL.forEach(part -> route(builder, part.service(), part.path()));
          } else {
            route(builder, AGGREGATOR, "/api/**");
          }
          for (var cinema : cinemas.known()) {
            route(builder, cinema.serviceName(), "/cinema/%s/**".formatted(cinema));
          }
          return builder.build().getRoutes();
        });
  }

  /**
   * Builds the routes again only when there is a cinema more or less: breakers keep their state.
   */
  @EventListener(HeartbeatEvent.class)
  void registryAnswered() {
    var names = cinemas.known();
    if (!names.equals(routed)) {
      routed = names;
      events.publishEvent(new RefreshRoutesEvent(this));
    }
  }

  private void route(RouteLocatorBuilder.Builder builder, String service, String path) {
    builder.route(
        service + path,
        route ->
            route
                .path(path)
                .filters(filters -> breakers.guard(filters.filter(NamedRoute.named(path)), service))
                .uri("lb://" + service));
  }
}
