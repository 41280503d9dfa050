package testbed.feed.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import testbed.contracts.ProblemType;

class SourceTest {

  private static final Instant NOON = Instant.parse("2026-11-24T12:00:00Z");

  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private Instant now = NOON;

  @Test
  void tellsWhatAEuroIsWorthAndSinceWhen() {
    var euro = source(0, 0).euro();

    assertThat(euro.base()).isEqualTo("EUR");
    assertThat(euro.quote()).isEqualTo("USD");
    assertThat(euro.rate()).isBetween(new BigDecimal("1.05"), new BigDecimal("1.15")).hasScaleOf(4);
    assertThat(euro.asOf()).isEqualTo(NOON);
    assertThat(requests("answered")).isEqualTo(1);
  }

  @Test
  void changesItsMindOnceAMinute() {
    var source = source(0, 0);
    var atNoon = source.euro().rate();

    now = NOON.plusSeconds(59);
    assertThat(source.euro().rate()).isEqualTo(atNoon);
    now = NOON.plusSeconds(60);
    assertThat(source.euro().rate()).isNotEqualTo(atNoon);
  }

  @Test
  void refusesItsShare() {
    var source = source(0.25, 0);

    IntStream.range(0, 2_000).forEach(any -> asked(source));

    assertThat(requests("refused")).isBetween(400L, 600L);
    assertThat(requests("answered") + requests("refused")).isEqualTo(2_000);
  }

  @Test
  void refusesWhatIsTooMuchInASecond() {
    var source = source(0, 3);

    long began = System.nanoTime();

    IntStream.range(0, 10).forEach(any -> asked(source));

    // One more second may have begun than have passed.
    long seconds = 2 + Duration.ofNanos(System.nanoTime() - began).toSeconds();
    assertThat(requests("answered")).isBetween(3L, 3 * seconds);
    assertThat(requests("answered") + requests("refused")).isEqualTo(10);
  }

  @Test
  void saysThatARefusedRequestMayBeMadeAgain() {
    assertThatThrownBy(() -> source(1, 0).euro())
        .isInstanceOfSatisfying(
            SourceRefused.class,
            refused -> {
              assertThat(refused.type()).isEqualTo(ProblemType.UNAVAILABLE);
              assertThat(refused.retryAfter()).contains(Duration.ofSeconds(1));
            });
  }

  @Test
  void refusesWhenItIsEnded() {
    var slow = new Source(settings(Duration.ofHours(1), 0, 0), meters, () -> NOON);
    Thread.currentThread().interrupt();

    assertThatThrownBy(slow::euro).isInstanceOf(SourceRefused.class);

    assertThat(Thread.interrupted()).isTrue();
  }

  private Source source(double refused, int perSecond) {
    return new Source(settings(Duration.ofNanos(1), refused, perSecond), meters, () -> now);
  }

  private static SourceSettings settings(Duration mean, double refused, int perSecond) {
    return new SourceSettings(mean, Duration.ZERO, refused, perSecond, Duration.ofMinutes(1), 1);
  }

  private static void asked(Source source) {
    try {
      source.euro();
    } catch (SourceRefused counted) {
      // By the meters.
    }
  }

  private long requests(String outcome) {
    return meters.get("feed.source").tag("outcome", outcome).timer().count();
  }
}
