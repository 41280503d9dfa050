#!/usr/bin/env bash
# Bucket4j 8.19.0 and the rate limiter of Resilience4j 2.3.0.
# Guess: a call for more than the limit holds is refused at once, whether the caller may wait or not: 11 tokens of
# a bucket of 10, 25 permits at 10 a period. A waiting caller that is interrupted gives back what it has not got.
# What happens: a caller that may wait passes, after the time that the missing tokens take. Bucket4j says of the same
# call, without a wait, that it will never pass. An interrupted caller's tokens stay taken from those after it.
# Why it matters: the limit is no bound of a single call's size once calls wait. Cancelled requests use up the limit
# as served ones do, so after a queue of them everybody waits for calls that were never made.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries com.bucket4j:bucket4j_jdk17-core:8.19.0 io.github.resilience4j:resilience4j-ratelimiter:2.3.0 \
  org.slf4j:slf4j-nop:1.7.36

cat > OverCapacity.java <<'END'
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.*;
import java.time.Duration;

public class OverCapacity extends Finding {

  static Bucket bucket(Duration refill) {
    return Bucket.builder().addLimit(limit -> limit.capacity(10).refillGreedy(10, refill)).build();
  }

  static RateLimiter limiter(Duration period) {
    return RateLimiter.of(
        "calls",
        RateLimiterConfig.custom()
            .limitForPeriod(10)
            .limitRefreshPeriod(period)
            .timeoutDuration(Duration.ofHours(2))
            .build());
  }

  /** Starts a call that waits, and interrupts it. */
  static void interrupt(Runnable call) throws Exception {
    var caller = new Thread(call);
    caller.start();
    while (caller.getState() != Thread.State.TIMED_WAITING) {
      Thread.sleep(10);
    }
    caller.interrupt();
    caller.join();
  }

  static long millisecondsSince(long start) {
    return (System.nanoTime() - start) / 1_000_000;
  }

  public static void main(String[] arguments) throws Exception {
    var bucket = bucket(Duration.ofSeconds(1));
    var without = bucket.tryConsume(11);
    var never = bucket.estimateAbilityToConsume(11).getNanosToWaitForRefill() == Long.MAX_VALUE;
    var start = System.nanoTime();
    var waiting = bucket.asBlocking().tryConsume(11, Duration.ofSeconds(10));
    System.out.printf(
        "Bucket4j, 11 of 10: without a wait %s, %s; with a wait %s after %d ms%n",
        without, never ? "never" : "later", waiting, millisecondsSince(start));
    expect(!without && never && waiting, "11 of 10 pass with a wait alone");

    var limiter = limiter(Duration.ofMillis(500));
    start = System.nanoTime();
    var permitted = limiter.acquirePermission(25);
    System.out.printf("Resilience4j, 25 at 10 per 500 ms: %s after %d ms%n", permitted, millisecondsSince(start));
    expect(permitted, "25 permits at 10 a period pass");

    var hourlyBucket = bucket(Duration.ofHours(1));
    hourlyBucket.tryConsume(10);
    interrupt(
        () -> {
          try {
            hourlyBucket.asBlocking().tryConsume(5, Duration.ofHours(2));
          } catch (InterruptedException expected) {
            // The call is not made.
          }
        });
    var hourlyLimiter = limiter(Duration.ofHours(1));
    hourlyLimiter.acquirePermission(10);
    interrupt(() -> hourlyLimiter.acquirePermission(5));
    long tokens = hourlyBucket.getAvailableTokens();
    int permits = hourlyLimiter.getMetrics().getAvailablePermissions();
    System.out.printf("after an interrupted call for 5: Bucket4j %d, Resilience4j %d available%n", tokens, permits);
    expect(tokens == -5 && permits == -5, "an interrupted caller's tokens stay taken");
  }
}
END
run_java OverCapacity
