package testbed.gateway.access;

import java.security.Principal;
import java.util.List;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;
import testbed.support.access.AccessRequired;
import testbed.support.web.IdempotencyHeader;

/**
 * Makes the account a part of each idempotency key: cinemas know keys, and no accounts. A malformed
 * key is passed on and refused there.
 */
@Component
@Order(Ordered.LOWEST_PRECEDENCE - 2)
@Conditional(AccessRequired.class)
class OwnKeys implements WebFilter {

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
    return exchange.getRequest().getHeaders().containsHeader(IdempotencyHeader.NAME)
        ? exchange
            .getPrincipal()
            .map(user -> own(exchange, user))
            .defaultIfEmpty(exchange)
            .flatMap(chain::filter)
        : chain.filter(exchange);
  }

  private static ServerWebExchange own(ServerWebExchange exchange, Principal user) {
    List<String> values = exchange.getRequest().getHeaders().getOrEmpty(IdempotencyHeader.NAME);
    return IdempotencyHeader.read(values)
        .map(key -> key.of(user.getName()).value())
        .map(
            own ->
                exchange
                    .mutate()
                    .request(
                        request ->
                            request.headers(headers -> headers.set(IdempotencyHeader.NAME, own)))
                    .build())
        .orElse(exchange);
  }
}
