package testbed.support.instance;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SilentInstancesTest {

  private static final URI ONE = URI.create("http://10.0.0.1:8084");
  private static final URI TWO = URI.create("http://10.0.0.2:8084");
  private static final URI THREE = URI.create("http://10.0.0.3:8084");
  private static final List<URI> ALL = List.of(ONE, TWO, THREE);

  private final AtomicLong now = new AtomicLong();
  private final AtomicReference<List<URI>> registered = new AtomicReference<>(ALL);
  private final SilentInstances silent = new SilentInstances(registered::get, now::get);

  @Test
  void leavesOutAnInstanceAfterThreeRequestsInARowWithoutAnAnswer() {
    silent.failed(TWO);
    silent.failed(TWO);
    silent.answered(TWO);
    silent.failed(TWO);
    silent.failed(TWO);
    assertThat(silent.leaveOut(ALL)).isEqualTo(ALL);

    silent.failed(TWO);

    assertThat(silent.leaveOut(ALL)).containsExactly(ONE, THREE);
  }

  @Test
  void triesItWithOneRequestAfterARestThatGrows() {
    fail(TWO);

    assertThat(seconds(0, 100)).containsExactly(5, 15, 35, 75);
  }

  @Test
  void asksItAgainOnceItHasAnswered() {
    fail(TWO);
    pass(5);
    assertThat(silent.leaveOut(ALL)).containsExactly(TWO);

    silent.answered(TWO);

    assertThat(silent.leaveOut(ALL)).isEqualTo(ALL);
  }

  @Test
  void ignoresRequestsThatWereGivenUpSoon() {
    pass(10);
    for (int i = 0; i < 10; i++) {
      silent.gaveUp(TWO, now.get() - Duration.ofMillis(999).toNanos());
    }
    assertThat(silent.leaveOut(ALL)).isEqualTo(ALL);

    for (int i = 0; i < 3; i++) {
      silent.gaveUp(TWO, now.get() - Duration.ofSeconds(1).toNanos());
    }
    assertThat(silent.leaveOut(ALL)).containsExactly(ONE, THREE);
  }

  @Test
  void leavesNoneOutIfNoneAnswers() {
    ALL.forEach(this::fail);

    assertThat(silent.leaveOut(ALL)).isEqualTo(ALL);
    assertThat(silent.leaveOut(List.of(ONE))).containsExactly(ONE);
  }

  @Test
  void knowsNothingOfAnInstanceThatWasGone() {
    fail(TWO);
    registered.set(List.of(ONE, THREE));
    silent.leaveOut(registered.get());
    registered.set(ALL);

    assertThat(silent.leaveOut(ALL)).isEqualTo(ALL);
  }

  private void fail(URI instance) {
    for (int i = 0; i < 3; i++) {
      silent.failed(instance);
    }
  }

  /**
   * The seconds in which an instance that never answers is asked, with a hundred requests in each.
   */
  private List<Integer> seconds(int from, int to) {
    return IntStream.range(from, to)
        .peek(second -> pass(second == from ? 0 : 1))
        .filter(
            second ->
                IntStream.range(0, 100)
                        .filter(request -> silent.leaveOut(ALL).contains(TWO))
                        .peek(request -> silent.failed(TWO))
                        .count()
                    == 1)
        .boxed()
        .toList();
  }

  private void pass(int seconds) {
    now.addAndGet(Duration.ofSeconds(seconds).toNanos());
  }
}
