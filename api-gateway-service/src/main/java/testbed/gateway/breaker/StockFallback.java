package testbed.gateway.breaker;

import java.net.URI;
import java.util.LinkedHashSet;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.support.ServerWebExchangeUtils;
import org.springframework.context.annotation.Profile;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import testbed.gateway.RoutingProfile;

/** The address to which the library's breaker filter forwards. Clients that ask for it get 404. */
@RestController
@Profile(RoutingProfile.STOCK)
class StockFallback {

  /** Prefix of the path; the service's name follows. */
  static final String ADDRESS = "forward:/fallback/";

  private final Fallback fallback;

  StockFallback(Fallback fallback) {
    this.fallback = fallback;
  }

  /** The forwarded request has the fallback's address; the problem names the client's. */
  static Mono<Void> rememberAddress(ServerWebExchange exchange, GatewayFilterChain chain) {
    ServerWebExchangeUtils.addOriginalRequestUrl(exchange, exchange.getRequest().getURI());
    return chain.filter(exchange);
  }

  @RequestMapping("/fallback/{service}")
  Mono<Void> answer(@PathVariable String service, ServerWebExchange exchange) {
    Throwable failure =
        exchange.getAttribute(ServerWebExchangeUtils.CIRCUITBREAKER_EXECUTION_EXCEPTION_ATTR);
    if (failure == null) {
      return Mono.error(new ResponseStatusException(HttpStatus.NOT_FOUND));
    }
    LinkedHashSet<URI> addresses =
        exchange.getRequiredAttribute(ServerWebExchangeUtils.GATEWAY_ORIGINAL_REQUEST_URL_ATTR);
    var asked = exchange.mutate().request(request -> request.uri(addresses.getFirst())).build();
    return fallback.answer(asked, service, failure);
  }
}
