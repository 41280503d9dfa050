#!/usr/bin/env bash
# Micrometer 1.17.0, any registry: percentiles that the client computes (publishPercentiles).
# Guess: of 1,000 calls of equal duration each percentile is that duration, or a little above (HdrHistogram, on which
# they are built, returns the highest value that it holds equivalent).
# What happens: it lies below every call: 96.5 ms for calls of 100 ms, 973 ms for 1 s. The maximum beside it is exact.
# A precision of 2 or 3 digits comes closer, and stays below.
# Why it matters: every call can be above a limit and the p99 below it. Compared with a generator's
# percentiles the difference looks like time in the network.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries io.micrometer:micrometer-core:1.17.0 org.slf4j:slf4j-nop:2.0.17

cat > Percentiles.java <<'END'
import io.micrometer.core.instrument.*;
import io.micrometer.core.instrument.simple.*;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

public class Percentiles extends Finding {
  public static void main(String[] arguments) {
    for (int precision = 1; precision <= 3; precision++) {
      for (int milliseconds : new int[] {100, 200, 500, 1000}) {
        var timer =
            Timer.builder(precision + "." + milliseconds)
                .publishPercentiles(0.01, 0.99)
                .percentilePrecision(precision)
                .register(new SimpleMeterRegistry());
        for (int call = 0; call < 1000; call++) {
          timer.record(Duration.ofMillis(milliseconds));
        }
        var snapshot = timer.takeSnapshot();
        double p99 = snapshot.percentileValues()[1].value(TimeUnit.MILLISECONDS);
        System.out.printf(
            "precision %d, 1000 calls of %d ms: p99 %.3f ms, max %.0f ms%n",
            precision, milliseconds, p99, snapshot.max(TimeUnit.MILLISECONDS));
        expect(p99 < milliseconds, "p99 lies below every call");
        if (precision == 1) {
          expect(p99 < 0.98 * milliseconds, "with the usual precision by more than 2 %");
        }
      }
    }
  }
}
END
run_java Percentiles
