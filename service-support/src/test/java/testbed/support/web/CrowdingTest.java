package testbed.support.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CrowdingTest {

  private static final int TRIES = 1_000;

  @Test
  void closesNoneUpToNineTenthsAllAtTheLimitAndSomeBetween() {
    assertThat(closed(90)).isZero();
    assertThat(closed(92)).isBetween(100, 333);
    assertThat(closed(98)).isBetween(667, 900);
    assertThat(closed(100)).isEqualTo(TRIES);
  }

  private static int closed(int open) {
    return (int) IntStream.range(0, TRIES).filter(attempt -> Crowding.closes(open, 100)).count();
  }
}
