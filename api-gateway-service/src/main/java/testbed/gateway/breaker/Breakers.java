package testbed.gateway.breaker;

import java.net.URI;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.cloud.gateway.route.builder.GatewayFilterSpec;

/** Puts circuit breakers on routes. */
public interface Breakers {

  /**
   * Adds what guards a route to the service. Routes to one service share a breaker's state.
   *
   * @param instances where the service's instances are
   */
  GatewayFilterSpec guard(GatewayFilterSpec filters, String service, Supplier<List<URI>> instances);
}
