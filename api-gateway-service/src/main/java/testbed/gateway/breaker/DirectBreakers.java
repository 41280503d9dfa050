package testbed.gateway.breaker;

import java.net.URI;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.cloud.client.circuitbreaker.ReactiveCircuitBreakerFactory;
import org.springframework.cloud.gateway.route.builder.GatewayFilterSpec;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;
import testbed.gateway.RoutingProfile;

/** The breakers of our own filter, which answers in place. */
@Component
@Profile(RoutingProfile.DIRECT)
class DirectBreakers implements Breakers {

  private final ReactiveCircuitBreakerFactory<?, ?> breakers;
  private final RequestBodies bodies;
  private final Fallback fallback;
  private final BreakerSettings settings;

  DirectBreakers(
      ReactiveCircuitBreakerFactory<?, ?> breakers,
      RequestBodies bodies,
      Fallback fallback,
      BreakerSettings settings) {
    this.breakers = breakers;
    this.bodies = bodies;
    this.fallback = fallback;
    this.settings = settings;
  }

  @Override
  public GatewayFilterSpec guard(
      GatewayFilterSpec filters, String service, Supplier<List<URI>> instances) {
    return filters.filter(
        new Breaker(service, instances, breakers.create(service), bodies, fallback, settings));
  }
}
