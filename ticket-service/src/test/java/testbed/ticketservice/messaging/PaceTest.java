package testbed.ticketservice.messaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PaceTest {

  private static final long TENTH = Duration.ofMillis(100).toNanos();

  private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - TENTH);
  private final Pace pace = new Pace(10, clock::get);

  @Test
  void spacesTheBeginsOfAllThreadsEvenly() {
    assertThat(pace.nanosToNext()).isZero();
    assertThat(pace.nanosToNext()).isEqualTo(TENTH);
    assertThat(pace.nanosToNext()).isEqualTo(2 * TENTH);
    clock.addAndGet(3 * TENTH);
    assertThat(pace.nanosToNext()).isZero();
  }

  @Test
  void doesNotMakeUpForTimeThatNobodyUsed() {
    clock.addAndGet(50 * TENTH);

    assertThat(pace.nanosToNext()).isZero();
    assertThat(pace.nanosToNext()).isEqualTo(TENTH);
  }

  @Test
  void neverWaitsWithoutALimit() throws InterruptedException {
    var unlimited = new Pace(0, clock::get);

    for (int begin = 0; begin < 1_000; begin++) {
      unlimited.await();
    }

    assertThat(unlimited.nanosToNext()).isZero();
  }
}
