package testbed.support.handicap;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.springframework.core.env.Environment;
import testbed.support.preset.InvalidSetting;

/**
 * CPU time that every call of a service burns on purpose. An experiment that compares a system with
 * itself under a known handicap must find this difference, and it shows what an improvement of that
 * service would be worth. None by default.
 *
 * <p>The time is converted to an amount of work once, at the start. A loop that watches the clock
 * would burn less on a busy machine: while its thread waits for a processor, the clock goes on. All
 * processors work meanwhile, as they do under load: two that share a core are slower than one
 * alone.
 *
 * <p>The work is a checksum, which the JVM computes at the same speed in interpreted and compiled
 * code. When many services start at once, seconds can pass before a loop is compiled.
 */
public class Handicap {

  private static final Duration LONGEST = Duration.ofMillis(100);

  private static final Duration CALIBRATION = Duration.ofMillis(300);

  private static final long CALIBRATION_ROUNDS = 50;

  /** Fits into the fastest cache of a processor. */
  private static final byte[] BLOCK = new byte[16 * 1024];

  /** Written so that the JIT compiler does not remove the loop. */
  private static volatile long lastChecksum;

  private final long rounds;

  /**
   * @param property where the time comes from
   * @throws InvalidSetting if it is negative, longer than 100 ms, or not 0 under preset thesis
   */
  public Handicap(Duration time, String property, Environment environment) {
    if (time.isNegative() || time.compareTo(LONGEST) > 0) {
      throw refused(property, environment, "any time from 0 to 100ms, for example 180us");
    }
    if (time.isPositive() && environment.matchesProfiles("thesis")) {
      throw refused(property, environment, "0, the only choice under TESTBED_PRESET thesis");
    }
    this.rounds = time.isPositive() ? roundsIn(time) : 0;
  }

  /** Keeps the calling thread busy. */
  public void burn() {
    if (rounds > 0) {
      compute(rounds);
    }
  }

  /** By the median of many measurements: some were interrupted. */
  private static long roundsIn(Duration time) {
    int processors = Runtime.getRuntime().availableProcessors();
    try (var all = Executors.newFixedThreadPool(processors)) {
      var measured =
          Stream.generate(() -> CompletableFuture.supplyAsync(Handicap::measurements, all))
              .limit(processors)
              .toList()
              .stream()
              .flatMapToLong(times -> times.join().build())
              .sorted()
              .toArray();
      return time.toNanos() * CALIBRATION_ROUNDS / Math.max(measured[measured.length / 2], 1);
    }
  }

  /** Nanoseconds of the rounds, again and again. */
  private static LongStream.Builder measurements() {
    var measured = LongStream.builder();
    var end = System.nanoTime() + CALIBRATION.toNanos();
    for (var start = System.nanoTime(); start - end < 0; start = System.nanoTime()) {
      compute(CALIBRATION_ROUNDS);
      measured.add(System.nanoTime() - start);
    }
    return measured;
  }

  private static void compute(long rounds) {
    var checksum = new CRC32();
    for (long i = 0; i < rounds; i++) {
      checksum.update(BLOCK);
    }
    lastChecksum = checksum.getValue();
  }

  private static InvalidSetting refused(String property, Environment environment, String choice) {
    return new InvalidSetting(
        property.toUpperCase(Locale.ROOT).replace('.', '_'),
        environment.getProperty(property, ""),
        List.of(choice));
  }
}
