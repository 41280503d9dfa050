package testbed.feed.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.time.Duration;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class LogNormalTest {

  @Test
  void hasTheMeanAndTheDeviation() {
    var times = new LogNormal(Duration.ofMillis(372), Duration.ofMillis(156), new Random(1));

    var some = LongStream.generate(() -> times.next().toNanos()).limit(200_000).toArray();

    var mean = LongStream.of(some).average().orElseThrow();
    var variance =
        LongStream.of(some).mapToDouble(time -> Math.pow(time - mean, 2)).average().orElseThrow();
    assertThat(mean / 1e6).isCloseTo(372, withinPercentage(1));
    assertThat(Math.sqrt(variance) / 1e6).isCloseTo(156, withinPercentage(3));
    assertThat(LongStream.of(some).min().orElseThrow()).isPositive();
  }

  @Test
  void isAlwaysTheMeanWithoutADeviation() {
    var times = new LogNormal(Duration.ofMillis(5), Duration.ZERO, new Random(1));

    assertThat(times.next().toNanos()).isCloseTo(5_000_000, withinPercentage(1));
  }
}
