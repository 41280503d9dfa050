package testbed.gateway.breaker;

import java.net.ConnectException;
import org.springframework.cloud.gateway.route.builder.GatewayFilterSpec;
import org.springframework.context.annotation.Profile;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import testbed.gateway.RoutingProfile;

/**
 * The library's breaker and retry filters, unchanged. Their known weaknesses stay: a slow upload
 * counts as the service's time, and a counted 500 reaches the client as a fallback.
 */
@Component
@Profile(RoutingProfile.STOCK)
public class StockBreakers {

  private final BreakerSettings settings;

  StockBreakers(BreakerSettings settings) {
    this.settings = settings;
  }

  /** Adds what guards a route to the service. Routes to one service share a breaker's state. */
  public GatewayFilterSpec guard(GatewayFilterSpec filters, String service) {
    filters
        .filter(StockFallback::rememberAddress)
        .circuitBreaker(
            breaker -> {
              breaker.setName(service).setFallbackUri(StockFallback.ADDRESS + service);
              if (settings.countServerErrors()) {
                breaker.addStatusCode(HttpStatus.INTERNAL_SERVER_ERROR.name());
              }
            });
    if (settings.retryUnreachable()) {
      filters.retry(
          retry ->
              retry
                  .setRetries(1)
                  .setMethods(HttpMethod.GET)
                  .setSeries()
                  .setExceptions(ConnectException.class));
    }
    return filters;
  }
}
