package testbed.poster.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import testbed.support.deadline.Deadline;
import testbed.support.deadline.DeadlinePassed;

class BoundedTest {

  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final Bounded bounded = new Bounded("test", 3, Duration.ofMillis(20), meters);

  @Test
  void givesNoMoreThanThereAre() {
    var first = bounded.take(2);

    assertThatThrownBy(() -> bounded.take(2))
        .isInstanceOfSatisfying(
            Busy.class, busy -> assertThat(busy.retryAfter()).contains(Duration.ofSeconds(1)));
    assertThat(used()).isEqualTo(2);
    first.close();
    bounded.take(3).close();
    assertThat(used()).isZero();
  }

  @Test
  void givesWhatIsGivenBack() throws InterruptedException {
    var patient = new Bounded("patient", 1, Duration.ofMinutes(1), meters);
    var first = patient.take(1);
    var second = Thread.ofVirtual().start(() -> patient.take(1).close());

    first.close();

    second.join();
    patient.take(1).close();
  }

  @Test
  void takesBackOnlyOnce() {
    var first = bounded.take(1);
    first.close();
    first.close();

    assertThat(used()).isZero();
  }

  @Test
  void givesAllToOneThatAsksForMore() {
    bounded.take(1_000_000).close();

    assertThat(used()).isZero();
  }

  @Test
  void takesNothingForARequestWhoseTimeIsOver() {
    try (var bound = Deadline.of(Duration.ZERO, Duration.ZERO).bind()) {
      assertThatThrownBy(() -> bounded.take(1)).isInstanceOf(DeadlinePassed.class);
    }
    assertThat(used()).isZero();
  }

  private double used() {
    return meters.get("poster.used").gauge().value();
  }
}
