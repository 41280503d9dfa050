package testbed.gateway.breaker;

import java.net.ConnectException;
import org.springframework.cloud.client.circuitbreaker.ReactiveCircuitBreaker;
import org.springframework.cloud.gateway.filter.GatewayFilter;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.support.ServerWebExchangeUtils;
import org.springframework.http.HttpStatus;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Guards one route. The gateway's own filter would forward to a fallback address, and to be able to
 * do so it holds every request body in memory; this one answers in place, for every method.
 */
class Breaker implements GatewayFilter {

  private final String service;
  private final ReactiveCircuitBreaker breaker;
  private final Fallback fallback;
  private final BreakerSettings settings;

  Breaker(
      String service, ReactiveCircuitBreaker breaker, Fallback fallback, BreakerSettings settings) {
    this.service = service;
    this.breaker = breaker;
    this.fallback = fallback;
    this.settings = settings;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
    return breaker.run(
        judge(exchange, ask(exchange, chain)),
        failure ->
            failure == ServiceFailed.INSTANCE
                ? Mono.empty()
                : fallback.answer(exchange, service, failure));
  }

  private Mono<Void> ask(ServerWebExchange exchange, GatewayFilterChain chain) {
    var answer = chain.filter(exchange);
    return settings.retryUnreachable()
        ? answer.onErrorResume(ConnectException.class, failure -> askAnother(exchange, chain))
        : answer;
  }

  /** Ends when no instance is left. */
  private Mono<Void> askAnother(ServerWebExchange exchange, GatewayFilterChain chain) {
    Unreachable.remember(exchange);
    ServerWebExchangeUtils.reset(exchange);
    return ask(exchange, chain);
  }

  /** Runs when the status is there and before the body is written to the client. */
  private Mono<Void> judge(ServerWebExchange exchange, Mono<Void> answer) {
    if (!settings.countServerErrors()) {
      return answer;
    }
    return answer.then(
        Mono.defer(
            () ->
                exchange.getResponse().getStatusCode() == HttpStatus.INTERNAL_SERVER_ERROR
                    ? Mono.error(ServiceFailed.INSTANCE)
                    : Mono.empty()));
  }

  /** Tells the breaker, and nobody else, that the service answered 500. */
  private static final class ServiceFailed extends RuntimeException {

    static final ServiceFailed INSTANCE = new ServiceFailed();

    private ServiceFailed() {
      super("The service answered 500", null, false, false);
    }
  }
}
