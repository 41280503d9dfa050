package testbed.gateway.breaker;

import org.springframework.cloud.client.circuitbreaker.ReactiveCircuitBreakerFactory;
import org.springframework.cloud.gateway.filter.GatewayFilter;
import org.springframework.stereotype.Component;

/** Makes the circuit breakers of routes. */
@Component
public class Breakers {

  private final ReactiveCircuitBreakerFactory<?, ?> breakers;
  private final Fallback fallback;
  private final BreakerSettings settings;

  Breakers(
      ReactiveCircuitBreakerFactory<?, ?> breakers, Fallback fallback, BreakerSettings settings) {
    this.breakers = breakers;
    this.fallback = fallback;
    this.settings = settings;
  }

  /** The filter that guards a route to the service; filters of one service share its state. */
  public GatewayFilter guard(String service) {
    return new Breaker(service, breakers.create(service), fallback, settings);
  }
}
