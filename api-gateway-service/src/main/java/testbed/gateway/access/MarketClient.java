package testbed.gateway.access;

import java.security.Principal;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * Tells the services of the market who the client is: the client of its token, its account, or a
 * guest without one. What a client says of itself is dropped.
 */
@Component
@Order(Ordered.LOWEST_PRECEDENCE - 2)
@ConditionalOnBooleanProperty("gateway.route.market")
class MarketClient implements WebFilter {

  static final String HEADER = "Market-Client";
  static final String GUEST = "guest";

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
    return exchange
        .getPrincipal()
        .map(Principal::getName)
        .defaultIfEmpty(GUEST)
        .flatMap(client -> chain.filter(named(exchange, client)));
  }

  private static ServerWebExchange named(ServerWebExchange exchange, String client) {
    return exchange
        .mutate()
        .request(request -> request.headers(headers -> name(headers, client)))
        .build();
  }

  private static void name(HttpHeaders headers, String client) {
    headers.set(HEADER, client);
    // A client that nominates this header would have it taken off its request (RFC 9110, 7.6.1).
    var options = headers.getConnection();
    if (options.stream().anyMatch(HEADER::equalsIgnoreCase)) {
      headers.setConnection(
          options.stream().filter(option -> !HEADER.equalsIgnoreCase(option)).toList());
    }
  }
}
