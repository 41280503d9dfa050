package testbed.cinemas;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import testbed.contracts.CinemaName;

class KnownCinemasTest {

  private static final CinemaName UCD = new CinemaName("ucd");
  private static final CinemaName DUNDRUM = new CinemaName("dundrum");

  private Instant now = Instant.parse("2026-01-01T12:00:00Z");
  private final KnownCinemas cinemas =
      new KnownCinemas(Duration.ofSeconds(3), Duration.ofHours(1), () -> now);

  @Test
  void asksTheCinemasItHasSeenByName() {
    cinemas.seen(UCD);
    cinemas.seen(DUNDRUM);

    assertThat(cinemas.presence().present()).containsExactly(DUNDRUM, UCD);
    assertThat(cinemas.presence().missing()).isEmpty();
  }

  @Test
  void namesACinemaThatIsGoneAsMissing() {
    cinemas.seen(DUNDRUM);
    passes(Duration.ofSeconds(4));
    cinemas.seen(UCD);

    assertThat(cinemas.presence().present()).containsExactly(UCD);
    assertThat(cinemas.presence().missing()).containsExactly(DUNDRUM);
    assertThat(cinemas.knows(DUNDRUM)).isTrue();
  }

  @Test
  void missesACinemaOnceItIsToldThatItHasGone() {
    cinemas.seen(DUNDRUM);
    cinemas.seen(UCD);
    cinemas.gone(DUNDRUM, cinemas.now());

    assertThat(cinemas.presence().present()).containsExactly(UCD);
    assertThat(cinemas.presence().missing()).containsExactly(DUNDRUM);

    cinemas.seen(DUNDRUM);
    assertThat(cinemas.presence().present()).containsExactly(DUNDRUM, UCD);
  }

  @Test
  void doesNotMissACinemaThatIsSeenAfterItWasGone() {
    cinemas.seen(DUNDRUM);
    var gone = cinemas.now();
    passes(Duration.ofMillis(1));
    cinemas.seen(DUNDRUM);

    cinemas.gone(DUNDRUM, gone);

    assertThat(cinemas.presence().present()).containsExactly(DUNDRUM);
  }

  @Test
  void doesNotRememberACinemaLongerBecauseItHasGone() {
    cinemas.seen(DUNDRUM);
    passes(Duration.ofMinutes(59));
    cinemas.gone(DUNDRUM, cinemas.now());
    cinemas.gone(UCD, cinemas.now());
    passes(Duration.ofMinutes(2));

    assertThat(cinemas.presence().missing()).isEmpty();
  }

  @Test
  void asksACinemaAgainThatHasReturned() {
    cinemas.seen(DUNDRUM);
    passes(Duration.ofSeconds(4));
    cinemas.seen(DUNDRUM);

    assertThat(cinemas.presence().present()).containsExactly(DUNDRUM);
    assertThat(cinemas.presence().missing()).isEmpty();
  }

  @Test
  void forgetsACinemaThatHasBeenGoneForLong() {
    cinemas.seen(DUNDRUM);
    passes(Duration.ofMinutes(61));

    assertThat(cinemas.presence().missing()).isEmpty();
    assertThat(cinemas.knows(DUNDRUM)).isFalse();
  }

  @Test
  void knowsNoMoreCinemasThanAHeaderCanName() {
    for (int number = 0; number < KnownCinemas.MOST; number++) {
      cinemas.seen(new CinemaName("cinema" + number));
    }
    cinemas.seen(UCD);

    assertThat(cinemas.knows(UCD)).isFalse();
    assertThat(cinemas.presence().present()).hasSize(KnownCinemas.MOST);

    passes(Duration.ofMinutes(61));
    cinemas.seen(UCD);
    assertThat(cinemas.presence().present()).containsExactly(UCD);
  }

  @Test
  void doesNotKnowACinemaItHasNeverSeen() {
    assertThat(cinemas.knows(UCD)).isFalse();
  }

  private void passes(Duration time) {
    now = now.plus(time);
  }
}
