package testbed.gateway.client;

import java.security.Principal;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;
import testbed.gateway.problem.ProblemResponses;
import testbed.support.client.ClientRates;
import testbed.support.client.ClientSettings;

/**
 * Refuses the requests of a client that makes too many. Comes right before the routes, when the
 * user is known.
 */
@Component
@Order(Ordered.LOWEST_PRECEDENCE - 1)
@ConditionalOnProperty(ClientSettings.RATE_LIMIT)
class RateLimit implements WebFilter {

  /** Probes and metrics. */
  private static final String NOT_COUNTED = "/actuator";

  private final ClientRates clients;
  private final ProblemResponses problems;

  RateLimit(ClientRates clients, ProblemResponses problems) {
    this.clients = clients;
    this.problems = problems;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
    return exchange.getRequest().getPath().value().startsWith(NOT_COUNTED)
        ? chain.filter(exchange)
        : exchange
            .getPrincipal()
            .map(Optional::of)
            .defaultIfEmpty(Optional.empty())
            .flatMap(user -> filter(exchange, chain, user.orElse(null)));
  }

  private Mono<Void> filter(
      ServerWebExchange exchange, WebFilterChain chain, @Nullable Principal user) {
    return clients
        .refusal(user, ClientAddress.of(exchange))
        .map(refusal -> problems.write(exchange, refusal))
        .orElseGet(() -> chain.filter(exchange));
  }
}
