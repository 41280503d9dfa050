#!/usr/bin/env bash
# Resilience4j 2.3.0 (RateLimiter).
# Guess: after `drainPermissions` no call passes until the next period, whatever was used before.
# What happens: it takes away as many permissions as were left after the last call, which may be of an earlier period.
# Of a limiter that was used up one period ago nothing is drained: all 10 pass. If calls have reserved permissions
# of later periods, draining gives those back.
# Why it matters: `drainPermissionsOnResult` is for a service that answers "too many requests". An answer that comes
# in the period after the request does not slow the client, and the busier it was, the less.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries io.github.resilience4j:resilience4j-ratelimiter:2.3.0 org.slf4j:slf4j-nop:1.7.36

cat > Drain.java <<'END'
import io.github.resilience4j.ratelimiter.*;
import java.time.Duration;

public class Drain extends Finding {

  static final Duration PERIOD = Duration.ofSeconds(2);

  static RateLimiterConfig.Builder ten() {
    return RateLimiterConfig.custom().limitForPeriod(10).limitRefreshPeriod(PERIOD);
  }

  /** A limiter of 10 a period, of which so many are used. */
  static RateLimiter limiter(RateLimiterConfig config, int used) {
    var limiter = RateLimiter.of("service", config);
    for (int call = 0; call < used; call++) {
      limiter.acquirePermission();
    }
    return limiter;
  }

  static void awaitNextPeriod() throws InterruptedException {
    Thread.sleep(PERIOD.toMillis() + 100);
  }

  /** How many of 50 calls pass at once. */
  static int passing(RateLimiter limiter) {
    int passing = 0;
    for (int call = 0; call < 50; call++) {
      passing += limiter.reservePermission() == 0 ? 1 : 0;
    }
    return passing;
  }

  public static void main(String[] arguments) throws Exception {
    var config = ten().timeoutDuration(Duration.ZERO).build();
    for (int used : new int[] {0, 3, 10}) {
      var drainedAtOnce = limiter(config, used);
      drainedAtOnce.drainPermissions();
      int atOnce = passing(drainedAtOnce);
      var drainedLater = limiter(config, used);
      awaitNextPeriod();
      drainedLater.drainPermissions();
      int later = passing(drainedLater);
      System.out.printf(
          "%d of 10 used, then drained: %d pass; drained in the next period: %d pass%n", used, atOnce, later);
      expect(atOnce == 0 && later == used, "it drains what was left after the last call");
    }

    var refusing = ten().timeoutDuration(Duration.ZERO).drainPermissionsOnResult(result -> true).build();
    var refused = limiter(refusing, 9);
    refused.executeCallable(
        () -> {
          awaitNextPeriod();
          return 429;
        });
    int afterRefusal = passing(refused);
    System.out.printf("drained by the answer to the 10th call, in the next period: %d pass%n", afterRefusal);
    expect(afterRefusal == 10, "an answer of the next period drains nothing");

    var patient = limiter(ten().timeoutDuration(Duration.ofMinutes(1)).build(), 10);
    patient.reservePermission(20);
    int reserved = patient.getMetrics().getAvailablePermissions();
    patient.drainPermissions();
    int drained = patient.getMetrics().getAvailablePermissions();
    System.out.printf("20 of later periods reserved: %d available, %d after draining%n", reserved, drained);
    expect(reserved == -20 && drained == 0, "it gives reserved permissions back");
  }
}
END
run_java Drain
