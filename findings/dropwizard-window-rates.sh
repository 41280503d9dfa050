#!/usr/bin/env bash
# Dropwizard Metrics 4.2.40, a Meter with SlidingTimeWindowMovingAverages.
# Guess: at a steady 10 calls a second its rates of 1, 5 and 15 minutes are 10 a second, as those of a Meter with the
# usual moving averages are. A sliding window only forgets a burst after its time.
# What happens: they are the numbers of calls in the last 1, 5 and 15 minutes: 600, 3,000 and 9,000. The reporter
# prints them as events/second, beside a mean rate of 10.
# Why it matters: the load seems to be 60, 300 and 900 times what it is. An alert above 500 calls a second fires at 10,
# and a steady load looks like one that fell from 9,000 to 600 within 15 minutes.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries io.dropwizard.metrics:metrics-core:4.2.40 org.slf4j:slf4j-nop:1.7.36

cat > WindowRates.java <<'END'
import com.codahale.metrics.*;
import java.io.*;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

public class WindowRates extends Finding {

  /** A clock that goes on when it is told to. */
  static class Time extends Clock {
    long nanoseconds;

    @Override
    public long getTick() {
      return nanoseconds;
    }
  }

  static boolean near(double rate, double expected) {
    return Math.abs(rate - expected) <= 0.01 * expected;
  }

  static void print(String averages, Meter meter) {
    System.out.printf(
        "%s: mean %.1f, 1 minute %.1f, 5 minutes %.1f, 15 minutes %.1f%n",
        averages, meter.getMeanRate(), meter.getOneMinuteRate(), meter.getFiveMinuteRate(),
        meter.getFifteenMinuteRate());
  }

  public static void main(String[] arguments) {
    var clock = new Time();
    var usual = new Meter(clock);
    var window = new Meter(new SlidingTimeWindowMovingAverages(clock), clock);
    for (int call = 0; call < 20 * 60 * 10; call++) {
      clock.nanoseconds = TimeUnit.MILLISECONDS.toNanos(100L * call + 50);
      usual.mark();
      window.mark();
    }
    System.out.println("10 calls a second for 20 minutes");
    print("rates of a Meter", usual);
    print("with SlidingTimeWindowMovingAverages", window);
    expect(
        near(usual.getMeanRate(), 10) && near(usual.getOneMinuteRate(), 10) && near(usual.getFiveMinuteRate(), 10)
            && near(usual.getFifteenMinuteRate(), 10),
        "the usual rates are calls a second");
    expect(near(window.getMeanRate(), 10), "the mean rate is calls a second");
    expect(
        near(window.getOneMinuteRate(), 600) && near(window.getFiveMinuteRate(), 3000)
            && near(window.getFifteenMinuteRate(), 9000),
        "the rates of a sliding window are sums");

    var registry = new MetricRegistry();
    registry.register("calls", window);
    var text = new ByteArrayOutputStream();
    var output = new PrintStream(text);
    try (var reporter =
        ConsoleReporter.forRegistry(registry).outputTo(output).formattedFor(Locale.ROOT).build()) {
      reporter.report();
    }
    System.out.println("ConsoleReporter:");
    text.toString().lines().filter(line -> line.contains("rate")).forEach(System.out::println);
    expect(
        text.toString().lines().anyMatch(line -> line.matches(" *15-minute rate = 9000\\.00 events/second")),
        "the reporter calls them events/second");
  }
}
END
run_java WindowRates
