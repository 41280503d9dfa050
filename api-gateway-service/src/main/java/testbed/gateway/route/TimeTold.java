package testbed.gateway.route;

import java.time.Duration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.cloud.gateway.config.HttpClientCustomizer;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.cloud.gateway.filter.ReactiveLoadBalancerClientFilter;
import org.springframework.cloud.gateway.route.Route;
import org.springframework.cloud.gateway.support.ServerWebExchangeUtils;
import org.springframework.context.annotation.Profile;
import org.springframework.core.Ordered;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.client.HttpClientRequest;
import testbed.gateway.RoutingProfile;
import testbed.gateway.breaker.TimeLimits;
import testbed.support.deadline.Deadline;
import testbed.support.deadline.DeadlineSettings;

/**
 * Tells a service how long the gateway still waits for its answer, whatever the client said. Time
 * spent on a full pool or an unreachable instance is deducted: the header is written when the
 * connection is established.
 */
@Component
@ConditionalOnBooleanProperty(DeadlineSettings.HANDED_ON)
@Profile(RoutingProfile.STOCK)
class TimeTold implements GlobalFilter, Ordered, HttpClientCustomizer {

  private static final String ATTRIBUTE = TimeTold.class.getName();

  private final TimeLimits limits;

  TimeTold(TimeLimits limits) {
    this.limits = limits;
  }

  /** After the breakers, whose time limit begins when the request's body has arrived. */
  @Override
  public int getOrder() {
    return ReactiveLoadBalancerClientFilter.LOAD_BALANCER_CLIENT_FILTER_ORDER - 1;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
    // A second attempt gets the time that the first one left.
    var deadline = exchange.getAttributes().computeIfAbsent(ATTRIBUTE, none -> deadline(exchange));
    return chain.filter(exchange).contextWrite(context -> context.put(Deadline.class, deadline));
  }

  private Deadline deadline(ServerWebExchange exchange) {
    Route route = exchange.getRequiredAttribute(ServerWebExchangeUtils.GATEWAY_ROUTE_ATTR);
    return Deadline.of(limits.of(route.getId()), Duration.ZERO);
  }

  @Override
  public HttpClient customize(HttpClient client) {
    return client.doOnRequest((request, connection) -> tell(request));
  }

  private static void tell(HttpClientRequest request) {
    request
        .currentContextView()
        .<Deadline>getOrEmpty(Deadline.class)
        .ifPresent(deadline -> request.header(Deadline.HEADER, deadline.told()));
  }
}
