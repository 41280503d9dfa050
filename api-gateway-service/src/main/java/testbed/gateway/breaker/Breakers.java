package testbed.gateway.breaker;

import org.springframework.cloud.gateway.route.builder.GatewayFilterSpec;

/** Puts circuit breakers on routes. */
public interface Breakers {

  /** Adds what guards a route to the service. Routes to one service share a breaker's state. */
  GatewayFilterSpec guard(GatewayFilterSpec filters, String service);
}
