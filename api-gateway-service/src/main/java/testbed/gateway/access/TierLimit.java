package testbed.gateway.access;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.security.core.Authentication;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;
import testbed.gateway.problem.ProblemResponses;
import testbed.support.problem.ProblemException;
import testbed.tier.limit.TierLimits;

/**
 * Refuses the requests of a client beyond the limit of its tier. Behind the check of tokens: what
 * that refuses is not counted.
 */
@Order(Ordered.LOWEST_PRECEDENCE - 1)
class TierLimit implements WebFilter {

  private final TierLimits limits;
  private final ProblemResponses problems;
  private final Executor threads;

  TierLimit(TierLimits limits, ProblemResponses problems) {
    this.limits = limits;
    this.problems = problems;
    // Event loops must not wait for the database.
    this.threads = limits.areShared() ? Thread::startVirtualThread : Runnable::run;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
    return exchange
        .getPrincipal()
        .ofType(Authentication.class)
        .flatMap(this::refusal)
        .defaultIfEmpty(Optional.empty())
        .flatMap(
            (Optional<ProblemException> refusal) ->
                refusal
                    .map(problem -> problems.write(exchange, problem))
                    .orElseGet(() -> chain.filter(exchange)));
  }

  /** Not cancelled where the client gives up: an interrupt would cost the database's connection. */
  private Mono<Optional<ProblemException>> refusal(Authentication client) {
    return Mono.fromFuture(
        () -> CompletableFuture.supplyAsync(() -> limits.refusal(client), threads), true);
  }
}
