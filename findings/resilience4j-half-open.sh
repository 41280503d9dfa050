#!/usr/bin/env bash
# Resilience4j 2.3.0, circuit breaker.
# Guess: a half-open breaker decides by its probes, the calls that it permits in that state.
# What happens: calls that began before the outage and end now count as probes. Two of them that succeed close
# the breaker while its only probe still runs; two that fail open it again, although the service is well and no probe
# has failed.
# Why it matters: an outage is when slow calls pile up. They end with time-outs just when the breaker is half-open,
# so that a service that has recovered is refused again and again, wait by wait.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries io.github.resilience4j:resilience4j-circuitbreaker:2.3.0 org.slf4j:slf4j-nop:1.7.36

cat > HalfOpen.java <<'END'
import io.github.resilience4j.circuitbreaker.*;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

public class HalfOpen extends Finding {
  static final Exception FAULT = new Exception("fault");

  /** What the state is once two calls from before the outage have ended, while a probe runs. */
  static CircuitBreaker.State after(boolean success) throws Exception {
    var breaker =
        CircuitBreaker.of(
            "service",
            CircuitBreakerConfig.custom()
                .slidingWindowSize(4)
                .minimumNumberOfCalls(4)
                .permittedNumberOfCallsInHalfOpenState(2)
                .waitDurationInOpenState(Duration.ofMillis(100))
                .build());
    breaker.acquirePermission();
    breaker.acquirePermission();
    for (int call = 0; call < 4; call++) {
      breaker.acquirePermission();
      breaker.onError(1, TimeUnit.MILLISECONDS, FAULT);
    }
    expect(breaker.getState() == CircuitBreaker.State.OPEN, "four failures of four open it");
    Thread.sleep(200);
    breaker.acquirePermission();
    expect(breaker.getState() == CircuitBreaker.State.HALF_OPEN, "the probe makes it half-open");
    for (int old = 0; old < 2; old++) {
      if (success) {
        breaker.onSuccess(5, TimeUnit.SECONDS);
      } else {
        breaker.onError(5, TimeUnit.SECONDS, FAULT);
      }
    }
    return breaker.getState();
  }

  public static void main(String[] arguments) throws Exception {
    var succeeded = after(true);
    var failed = after(false);
    System.out.printf(
        "half-open, one probe running; two calls from before the outage succeed: %s; fail: %s%n", succeeded, failed);
    expect(succeeded == CircuitBreaker.State.CLOSED, "old successes close it");
    expect(failed == CircuitBreaker.State.OPEN, "old failures open it");
  }
}
END
run_java HalfOpen
