package testbed.gateway.breaker;

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
  private final Fallback fallback;
  private final BreakerSettings settings;

  DirectBreakers(
      ReactiveCircuitBreakerFactory<?, ?> breakers, Fallback fallback, BreakerSettings settings) {
    this.breakers = breakers;
    this.fallback = fallback;
    this.settings = settings;
  }

  @Override
  public GatewayFilterSpec guard(GatewayFilterSpec filters, String service) {
    return filters.filter(new Breaker(service, breakers.create(service), fallback, settings));
  }
}
