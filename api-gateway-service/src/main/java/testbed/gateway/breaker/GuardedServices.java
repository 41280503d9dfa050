package testbed.gateway.breaker;

import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import java.net.URI;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;
import testbed.gateway.RoutingProfile;
import testbed.gateway.balancer.Balancer;

/** Guards the ways to services. */
@Component
@Profile(RoutingProfile.DIRECT)
public class GuardedServices {

  private final CircuitBreakerRegistry breakers;
  private final TimeLimits limits;
  private final ServiceClient client;
  private final RequestBodies bodies;
  private final Fallback fallback;
  private final BreakerSettings settings;

  GuardedServices(
      CircuitBreakerRegistry breakers,
      TimeLimits limits,
      ServiceClient client,
      RequestBodies bodies,
      Fallback fallback,
      BreakerSettings settings) {
    this.breakers = breakers;
    this.limits = limits;
    this.client = client;
    this.bodies = bodies;
    this.fallback = fallback;
    this.settings = settings;
  }

  /**
   * Guards the way to a service, whose breaker is named after it.
   *
   * @param instances where the service's instances are
   * @param balancer which of them is asked; for this service alone
   */
  public GuardedService guard(String service, Supplier<List<URI>> instances, Balancer balancer) {
    return new GuardedService(
        service,
        instances,
        balancer,
        breakers.circuitBreaker(service),
        limits.of(service),
        client,
        bodies,
        fallback,
        settings);
  }
}
