package testbed.gateway.breaker;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.cloud.client.circuitbreaker.ReactiveCircuitBreaker;
import org.springframework.cloud.gateway.filter.GatewayFilter;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.support.ServerWebExchangeUtils;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Guards one route. The gateway's own filter would forward to a fallback address; this one answers
 * in place, for every method.
 */
class Breaker implements GatewayFilter {

  private final String service;
  private final Supplier<List<URI>> instances;
  private final ReactiveCircuitBreaker breaker;
  private final RequestBodies bodies;
  private final Fallback fallback;
  private final BreakerSettings settings;

  Breaker(
      String service,
      Supplier<List<URI>> instances,
      ReactiveCircuitBreaker breaker,
      RequestBodies bodies,
      Fallback fallback,
      BreakerSettings settings) {
    this.service = service;
    this.instances = instances;
    this.breaker = breaker;
    this.bodies = bodies;
    this.fallback = fallback;
    this.settings = settings;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
    return settings.collectBodies() && RequestBodies.isIn(exchange.getRequest())
        ? bodies.collect(exchange).flatMap(collected -> guard(collected, chain))
        : guard(exchange, chain);
  }

  private Mono<Void> guard(ServerWebExchange exchange, GatewayFilterChain chain) {
    return breaker.run(
        judge(exchange, ask(exchange, chain)),
        failure ->
            failure == ServiceFailed.INSTANCE
                ? Mono.empty()
                : fallback.answer(exchange, service, failure));
  }

  private Mono<Void> ask(ServerWebExchange exchange, GatewayFilterChain chain) {
    return chain
        .filter(exchange)
        .onErrorResume(IOException.class, failure -> recover(exchange, chain, failure));
  }

  /** What fails here has no answer yet: bodies of answers are passed on outside of the breaker. */
  private Mono<Void> recover(
      ServerWebExchange exchange, GatewayFilterChain chain, IOException failure) {
    if (failure instanceof ConnectException) {
      return settings.retryUnreachable() ? askAnother(exchange, chain) : Mono.error(failure);
    }
    if (!settings.retryReset()) {
      return Mono.error(failure);
    }
    if (HttpMethod.GET.equals(exchange.getRequest().getMethod())) {
      return askAnother(exchange, chain);
    }
    // The instance may have done what it was asked for: it must not be done twice.
    Unreachable.remember(exchange);
    return Mono.error(
        Unreachable.without(exchange, instances.get()).isEmpty()
            ? failure
            : new InstanceLost(failure));
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
