#!/usr/bin/env bash
# Netflix concurrency-limits 0.5.4.
# Guess: a limit begins at 100 calls at once. If each call reports that it was dropped (refused by the service, or timed
# out), every kind of limit falls.
# What happens: AIMD, Vegas and the first Gradient fall to 4 or less. Gradient2 does not look at what was dropped: in 40
# rounds it grows to 200, its maximum, as if all had been answered.
# Why it matters: a service that refuses calls at once to shed load gets twice as many.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries com.netflix.concurrency-limits:concurrency-limits-core:0.5.4 org.slf4j:slf4j-nop:1.7.36

cat > Drops.java <<'END'
import com.netflix.concurrency.limits.Limit;
import com.netflix.concurrency.limits.limit.*;

public class Drops extends Finding {

  static final int ROUNDS = 40;
  static final long NANOS = 5_000_000;

  /** The limit, after rounds of as many calls as it admits at once; each takes 5 ms. */
  static int after(Limit limit, boolean isDropped) {
    for (int round = 0; round < ROUNDS; round++) {
      int calls = limit.getLimit();
      for (int call = 1; call <= calls; call++) {
        limit.onSample(0, NANOS, call, isDropped);
      }
    }
    return limit.getLimit();
  }

  public static void main(String[] arguments) {
    int aimd = after(AIMDLimit.newBuilder().initialLimit(100).minLimit(1).build(), true);
    int vegas = after(VegasLimit.newBuilder().initialLimit(100).build(), true);
    int gradient = after(GradientLimit.newBuilder().initialLimit(100).minLimit(1).build(), true);
    var second = Gradient2Limit.newBuilder().initialLimit(100).minLimit(1);
    int gradient2 = after(second.build(), true);
    int answered = after(second.build(), false);
    System.out.printf("limit of 100, all calls dropped: AIMD %d, Vegas %d, Gradient %d%n", aimd, vegas, gradient);
    System.out.printf("Gradient2: %d when all are dropped, %d when all are answered%n", gradient2, answered);
    expect(aimd <= 4 && vegas <= 4 && gradient <= 4, "the others fall");
    expect(gradient2 == 200 && answered == 200, "Gradient2 grows, dropped or answered");
  }
}
END
run_java Drops
