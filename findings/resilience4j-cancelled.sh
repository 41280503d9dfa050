#!/usr/bin/env bash
# Resilience4j 2.3.0 with Reactor 3.8.6 (CircuitBreakerOperator).
# Guess: a service that never answers opens the breaker, as each call ends with a time-out.
# What happens: only if the time-out is before the breaker in the chain. After it, a time-out cancels the call, and
# a cancelled call is not counted: 100 calls without an answer, and the breaker has seen none. If the answer had begun
# (a Flux with one element, then silence), a cancelled call is a success.
# Why it matters: a client that gives up cancels, too. Where clients wait for less than the breaker's own limit, a
# service that hangs is called for ever, and one that hangs in the middle of its answers is well by the breaker's count.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries io.github.resilience4j:resilience4j-reactor:2.3.0 io.github.resilience4j:resilience4j-circuitbreaker:2.3.0 \
  io.projectreactor:reactor-core:3.8.6 org.slf4j:slf4j-nop:1.7.36

cat > Cancelled.java <<'END'
import io.github.resilience4j.circuitbreaker.*;
import io.github.resilience4j.reactor.circuitbreaker.operator.CircuitBreakerOperator;
import java.time.Duration;
import java.util.function.BiFunction;
import reactor.core.publisher.Flux;

public class Cancelled extends Finding {

  static final Duration LIMIT = Duration.ofMillis(10);

  /** A breaker after 100 calls, each of which ended with a time-out. */
  static CircuitBreaker after(
      String name, BiFunction<Flux<String>, CircuitBreaker, Flux<String>> chain, Flux<String> answer) {
    var breaker =
        CircuitBreaker.of(
            "service", CircuitBreakerConfig.custom().slidingWindowSize(10).minimumNumberOfCalls(10).build());
    for (int call = 0; call < 100; call++) {
      var failed =
          chain.apply(answer, breaker).then().thenReturn(false).onErrorReturn(true).block();
      expect(failed, "each call fails");
    }
    var counts = breaker.getMetrics();
    System.out.printf(
        "%s: %s; of the last 10 calls it has seen %d fail and %d succeed%n",
        name, breaker.getState(), counts.getNumberOfFailedCalls(), counts.getNumberOfSuccessfulCalls());
    return breaker;
  }

  public static void main(String[] arguments) {
    var silent = Flux.<String>never();
    var stalled = Flux.concat(Flux.just("first"), silent);
    BiFunction<Flux<String>, CircuitBreaker, Flux<String>> before =
        (answer, breaker) -> answer.timeout(LIMIT).transformDeferred(CircuitBreakerOperator.of(breaker));
    BiFunction<Flux<String>, CircuitBreaker, Flux<String>> behind =
        (answer, breaker) -> answer.transformDeferred(CircuitBreakerOperator.of(breaker)).timeout(LIMIT);
    var opened = after("time-out, then breaker, no answer", before, silent);
    var blind = after("breaker, then time-out, no answer", behind, silent);
    var deceived = after("breaker, then time-out, half an answer", behind, stalled);
    expect(opened.getState() == CircuitBreaker.State.OPEN, "a time-out before the breaker opens it");
    expect(blind.getMetrics().getNumberOfBufferedCalls() == 0, "cancelled calls are not counted");
    expect(blind.getState() == CircuitBreaker.State.CLOSED, "it stays closed");
    expect(deceived.getMetrics().getNumberOfSuccessfulCalls() == 10, "half an answer is a success");
    System.exit(0);
  }
}
END
run_java Cancelled
