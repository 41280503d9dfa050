package testbed.cinema;

import java.time.Duration;
import java.util.List;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;
import testbed.support.preset.InvalidSetting;

/**
 * Processor time that every operation burns on purpose, in each variant alike: an experiment that
 * compares a system with itself under a known handicap must find this difference. None by default.
 */
@Component
public class Handicap {

  private static final Duration LONGEST = Duration.ofMillis(100);

  private final long nanos;

  /**
   * @throws InvalidSetting if it is negative, longer than 100 ms, or not 0 under preset thesis
   */
  Handicap(CinemaSettings settings, Environment environment) {
    var time = settings.handicap();
    if (time.isNegative() || time.compareTo(LONGEST) > 0) {
      throw refused(environment, "any time from 0 to 100ms, for example 180us");
    }
    if (time.isPositive() && environment.matchesProfiles("thesis")) {
      throw refused(environment, "0, the only choice under TESTBED_PRESET thesis");
    }
    this.nanos = time.toNanos();
  }

  /** Keeps the calling thread busy. */
  void burn() {
    if (nanos > 0) {
      var start = System.nanoTime();
      while (System.nanoTime() - start < nanos) {
        // Without Thread.onSpinWait(), which would leave the processor to others.
      }
    }
  }

  private static InvalidSetting refused(Environment environment, String choice) {
    return new InvalidSetting(
        "CINEMA_HANDICAP", environment.getProperty("cinema.handicap", ""), List.of(choice));
  }
}
