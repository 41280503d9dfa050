package testbed.gateway.client;

import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * Closes connections after their answer while the gateway stops, because the next request would
 * find no server, and while too many are open.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE)
class LastAnswers implements WebFilter {

  private final ApplicationAvailability availability;
  private final OpenConnections connections;

  LastAnswers(ApplicationAvailability availability, OpenConnections connections) {
    this.availability = availability;
    this.connections = connections;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
    if (connections.areCrowded()
        || availability.getReadinessState() == ReadinessState.REFUSING_TRAFFIC) {
      exchange.getResponse().getHeaders().set(HttpHeaders.CONNECTION, "close");
    }
    return chain.filter(exchange);
  }
}
