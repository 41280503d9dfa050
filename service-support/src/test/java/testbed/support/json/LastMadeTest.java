package testbed.support.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LastMadeTest {

  private final AtomicInteger made = new AtomicInteger();
  private final LastMade<Integer, Integer, Integer> last =
      new LastMade<>(
          Integer::equals,
          key -> {
            made.incrementAndGet();
            return key;
          });

  @Test
  void keepsWhatComesOftenWhenOtherKeysComeOnce() {
    var others = 1_000;
    for (int round = 0; round < 100; round++) {
      IntStream.range(0, 90).forEach(key -> last.of(key, key));
      IntStream.range(others + 20 * round, others + 20 * (round + 1))
          .forEach(key -> last.of(key, key));
    }

    var madeOfOthers = 20 * 100;
    assertThat(made.get() - madeOfOthers).isBetween(90, 900);
  }
}
