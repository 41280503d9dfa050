package testbed.gateway.route;

import java.net.URI;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.cloud.gateway.filter.ReactiveLoadBalancerClientFilter;
import org.springframework.cloud.gateway.route.Route;
import org.springframework.cloud.gateway.support.NotFoundException;
import org.springframework.cloud.gateway.support.ServerWebExchangeUtils;
import org.springframework.context.annotation.Profile;
import org.springframework.core.Ordered;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import testbed.gateway.RoutingProfile;
import testbed.gateway.breaker.Unreachable;
import testbed.support.discovery.RegisteredCinemas;

/**
 * Turns a route's {@code lb://SERVICE} into the address of the service's next instance, round
 * robin. Takes the place of the gateway's two filters for this: they build an application context
 * for each service when its first request comes, ask it through a reactive chain for every request,
 * and put the address together twice.
 */
@Component
@Profile(RoutingProfile.DIRECT)
class ToInstance implements GlobalFilter, Ordered {

  private final RegisteredCinemas registry;

  /** One for each service: requests that take turns among services would share out a common one. */
  private final Map<String, AtomicInteger> turns = new ConcurrentHashMap<>();

  ToInstance(RegisteredCinemas registry) {
    this.registry = registry;
  }

  @Override
  public int getOrder() {
    return ReactiveLoadBalancerClientFilter.LOAD_BALANCER_CLIENT_FILTER_ORDER;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
    Route route = exchange.getRequiredAttribute(ServerWebExchangeUtils.GATEWAY_ROUTE_ATTR);
    var service = route.getUri().getHost();
    var registered = Unreachable.without(exchange, registry.instancesOf(service));
    if (registered.isEmpty()) {
      return Mono.error(new NotFoundException("%s has no instance".formatted(service)));
    }
    var turn = turns.computeIfAbsent(service, none -> new AtomicInteger()).getAndIncrement();
    var instance = registered.get(Math.floorMod(turn, registered.size()));
    exchange
        .getAttributes()
        .put(
            ServerWebExchangeUtils.GATEWAY_REQUEST_URL_ATTR,
            at(instance, exchange.getRequest().getURI()));
    return chain.filter(exchange);
  }

  /** Path and query as they came: nothing is decoded, so nothing is encoded anew. */
  private static URI at(URI instance, URI request) {
    var query = request.getRawQuery();
    return URI.create(instance + request.getRawPath() + (query == null ? "" : "?" + query));
  }
}
