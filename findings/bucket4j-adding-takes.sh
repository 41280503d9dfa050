#!/usr/bin/env bash
# Bucket4j 8.19.0.
# Guess: `initialTokens` beyond the capacity is refused. `addTokens` adds up to the capacity, or nothing: the
# tokens beyond it, which `forceAddTokens` gave, stay.
# What happens: a bucket of 10 starts with 50. Refills and `tryConsume` leave the tokens beyond the capacity, but
# `addTokens(1)` sets the bucket to its capacity: of 110 tokens 10 are left.
# Why it matters: giving one token back for a call that was not made, the usual use of `addTokens`, takes away all that
# a client was granted in addition.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries com.bucket4j:bucket4j_jdk17-core:8.19.0

cat > AddingTakes.java <<'END'
import io.github.bucket4j.*;
import java.time.Duration;

public class AddingTakes extends Finding {

  /** A clock that goes on when it is told to. */
  static class Clock implements TimeMeter {
    long nanoseconds = Duration.ofDays(1).toNanos();

    @Override
    public long currentTimeNanos() {
      return nanoseconds;
    }

    @Override
    public boolean isWallClockBased() {
      return false;
    }
  }

  static Bucket bucket(Clock clock, long initial) {
    return Bucket.builder()
        .withCustomTimePrecision(clock)
        .addLimit(limit -> limit.capacity(10).refillGreedy(10, Duration.ofSeconds(1)).initialTokens(initial))
        .build();
  }

  public static void main(String[] arguments) {
    var clock = new Clock();
    long initial = bucket(clock, 50).getAvailableTokens();
    System.out.printf("a bucket of 10 that begins with 50: %d%n", initial);
    expect(initial == 50, "it begins with 50");

    var bucket = bucket(clock, 10);
    bucket.forceAddTokens(100);
    long forced = bucket.getAvailableTokens();
    clock.nanoseconds += Duration.ofSeconds(1).toNanos();
    long refilled = bucket.getAvailableTokens();
    bucket.tryConsume(1);
    long consumed = bucket.getAvailableTokens();
    bucket.addTokens(1);
    long added = bucket.getAvailableTokens();
    System.out.printf(
        "forceAddTokens(100): %d; after a refill: %d; tryConsume(1): %d; addTokens(1): %d%n",
        forced, refilled, consumed, added);
    expect(forced == 110 && refilled == 110 && consumed == 109, "a refill and a call leave the others");
    expect(added == 10, "addTokens takes all beyond the capacity");
  }
}
END
run_java AddingTakes
