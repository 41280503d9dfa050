package testbed.gateway.route;

import java.util.Objects;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.cloud.gateway.route.RouteLocator;
import org.springframework.cloud.gateway.route.builder.GatewayFilterSpec;
import org.springframework.cloud.gateway.route.builder.RouteLocatorBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;
import org.springframework.core.Ordered;
import org.springframework.util.unit.DataSize;
import testbed.gateway.RoutingProfile;
import testbed.gateway.breaker.StockBreakers;

/**
 * The routes to the feed, which come before those of the cinemas. Its breaker does not count the
 * refusals of the source: an open breaker would look like the effect of a cache.
 */
@Configuration(proxyBeanMethods = false)
@Profile(RoutingProfile.STOCK)
@ConditionalOnProperty(RoutingProfile.FEED)
class FeedRoutes {

  private static final String SERVICE = "feed-service";
  private static final String EURO = "/api/rates/eur_usd";

  /** One answer has a few hundred bytes. */
  private static final DataSize SIZE = DataSize.ofMegabytes(1);

  @Bean
  RouteLocator feed(RouteLocatorBuilder routes, StockBreakers breakers, FeedSettings settings) {
    var address = Objects.requireNonNull(settings.url());
    return routes
        .routes()
        .route(
            "euro",
            route ->
                route
                    .order(Ordered.HIGHEST_PRECEDENCE)
                    .path(EURO)
                    .filters(
                        filters ->
                            breakers.guard(
                                kept(filters.filter(NamedRoute.named(EURO)), settings), SERVICE))
                    .uri(address))
        .route(
            "feed",
            route ->
                route
                    .order(Ordered.HIGHEST_PRECEDENCE + 1)
                    .path("/api/**", "/openapi.yaml")
                    .filters(filters -> breakers.guard(filters, SERVICE))
                    .uri(address))
        .build();
  }

  private static GatewayFilterSpec kept(GatewayFilterSpec filters, FeedSettings settings) {
    return settings.cache() ? filters.localResponseCache(settings.fresh(), SIZE) : filters;
  }
}
