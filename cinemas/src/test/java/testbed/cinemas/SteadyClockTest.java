package testbed.cinemas;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class SteadyClockTest {

  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

  private long nanos = -5;

  @Test
  void goesOnFromTheTimeOfDayAtItsStart() {
    var clock = new SteadyClock(NOON, () -> nanos);

    assertThat(clock.instant()).isEqualTo(NOON);
    nanos += Duration.ofSeconds(3).toNanos();
    assertThat(clock.instant()).isEqualTo(NOON.plusSeconds(3));
  }

  @Test
  void beginsWithTheTimeOfDay() {
    assertThat(new SteadyClock().instant()).isBetween(Instant.now().minusSeconds(60), Instant.MAX);
  }
}
