package testbed.aggregator.movie;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import testbed.cinemas.Presence;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;
import testbed.support.deadline.Deadline;

class MoviesTest {

  private static final CinemaName CINEWORLD = new CinemaName("cineworld");
  private static final CinemaName DUNDRUM = new CinemaName("dundrum");
  private static final CinemaName UCD = new CinemaName("ucd");
  private static final Presence ALL = Presence.of(List.of(UCD, CINEWORLD, DUNDRUM), List.of());
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final Duration SHORT = Duration.ofMillis(200);

  private final List<String> events = new ArrayList<>();

  @ParameterizedTest
  @EnumSource
  void combinesEveryCinemaSortedByName(FanOut fanOut) {
    var list = movies(ALL, this::ask, fanOut, LONG).list();

    assertThat(list.cinemas())
        .containsExactly(catalogue(CINEWORLD), catalogue(DUNDRUM), catalogue(UCD));
    assertThat(list.missing()).isEmpty();
  }

  @Test
  void asksAllBeforeItWaitsForAnAnswerInParallel() {
    movies(ALL, this::ask, FanOut.PARALLEL, LONG).list();

    assertThat(events)
        .containsExactly(
            "ask cineworld",
            "ask dundrum",
            "ask ucd",
            "answer cineworld",
            "answer dundrum",
            "answer ucd");
  }

  @Test
  void asksOneAfterAnotherInSequence() {
    movies(ALL, this::ask, FanOut.SEQUENTIAL, LONG).list();

    assertThat(events)
        .containsExactly(
            "ask cineworld",
            "answer cineworld",
            "ask dundrum",
            "answer dundrum",
            "ask ucd",
            "answer ucd");
  }

  @ParameterizedTest
  @EnumSource
  void namesACinemaThatFails(FanOut fanOut) {
    CinemaRoute route =
        cinema ->
            () -> {
              if (cinema.equals(CINEWORLD)) {
                throw new IllegalStateException("out of order");
              }
              return catalogue(cinema);
            };

    var list = movies(ALL, route, fanOut, LONG).list();

    assertThat(list.cinemas()).containsExactly(catalogue(DUNDRUM), catalogue(UCD));
    assertThat(list.missing()).containsExactly(CINEWORLD);
  }

  @ParameterizedTest
  @EnumSource
  void readsTheAnswersOfOthersWhenACinemaCannotBeAsked(FanOut fanOut) {
    CinemaRoute route =
        cinema -> {
          if (cinema.equals(DUNDRUM)) {
            throw new IllegalStateException("its circuit is open");
          }
          return ask(cinema);
        };

    var list = movies(ALL, route, fanOut, LONG).list();

    assertThat(list.missing()).containsExactly(DUNDRUM);
    assertThat(events).contains("answer cineworld", "answer ucd");
  }

  @Test
  void namesACinemaThatIsSilentAtTheDeadlineAndReadsWhatOthersHaveAnsweredByThen() {
    await()
        .untilAsserted(
            () -> {
              var list = movies(ALL, silent(DUNDRUM), FanOut.PARALLEL, SHORT).list();

              assertThat(list.cinemas()).containsExactly(catalogue(CINEWORLD), catalogue(UCD));
              assertThat(list.missing()).containsExactly(DUNDRUM);
            });
  }

  @ParameterizedTest
  @EnumSource
  void waitsNoLongerThanItsCallerAndTellsTheWayToACinema(FanOut fanOut) {
    var millisLeft = new ArrayList<Long>();
    CinemaRoute route =
        cinema -> {
          millisLeft.add(Objects.requireNonNull(Deadline.current()).millisLeft());
          return () -> catalogue(cinema);
        };
    var movies = movies(ALL, route, fanOut, Duration.ofHours(2));

    movies.list();
    try (var bound = Deadline.of(Duration.ofHours(1), Duration.ZERO).bind()) {
      movies.list();
    }

    var hour = Duration.ofHours(1).toMillis();
    assertThat(millisLeft).hasSize(6);
    assertThat(millisLeft.subList(0, 3)).allSatisfy(left -> assertThat(left).isGreaterThan(hour));
    assertThat(millisLeft.subList(3, 6)).allSatisfy(left -> assertThat(left).isBetween(1L, hour));
  }

  @Test
  void namesTheSilentCinemaAndThoseBehindItWhenAskedInSequence() {
    // On a busy machine the deadline may pass before the first is asked.
    await()
        .untilAsserted(
            () -> {
              var list = movies(ALL, silent(DUNDRUM), FanOut.SEQUENTIAL, SHORT).list();

              assertThat(list.cinemas()).containsExactly(catalogue(CINEWORLD));
              assertThat(list.missing()).containsExactly(DUNDRUM, UCD);
            });
    assertThat(events).doesNotContain("ask ucd");
  }

  @Test
  void namesACinemaThatIsRememberedWithoutAskingIt() {
    var presence = Presence.of(List.of(UCD), List.of(DUNDRUM));

    var list = movies(presence, this::ask, FanOut.PARALLEL, LONG).list();

    assertThat(list.cinemas()).containsExactly(catalogue(UCD));
    assertThat(list.missing()).containsExactly(DUNDRUM);
    assertThat(events).containsExactly("ask ucd", "answer ucd");
  }

  @ParameterizedTest
  @EnumSource
  void hasNoAnswerIfAllAreSilentOrGone(FanOut fanOut) {
    var presence = Presence.of(List.of(UCD), List.of(DUNDRUM));
    var movies = movies(presence, silent(UCD), fanOut, SHORT);

    assertThatThrownBy(movies::list)
        .isInstanceOf(NoCinemaAnswered.class)
        .hasMessage("No answer from: dundrum, ucd.");
  }

  @ParameterizedTest
  @EnumSource
  void saysThatNoPortWasLeftIfThatKeptEveryAnswerAway(FanOut fanOut) {
    CinemaRoute route =
        cinema ->
            () -> {
              if (cinema.equals(DUNDRUM)) {
                throw new NoPortLeft();
              }
              throw new IllegalStateException("out of order");
            };
    var movies = movies(ALL, route, fanOut, LONG);

    assertThatThrownBy(movies::list).isInstanceOf(NoPortLeft.class);
  }

  @ParameterizedTest
  @EnumSource
  void namesACinemaThatCouldNotBeAskedForLackOfAPort(FanOut fanOut) {
    CinemaRoute route =
        cinema ->
            () -> {
              if (cinema.equals(DUNDRUM)) {
                throw new NoPortLeft();
              }
              return catalogue(cinema);
            };

    assertThat(movies(ALL, route, fanOut, LONG).list().missing()).containsExactly(DUNDRUM);
  }

  @Test
  void isUnavailableIfNoCinemaIsKnown() {
    var movies = movies(Presence.of(List.of(), List.of()), this::ask, FanOut.PARALLEL, LONG);

    assertThatThrownBy(movies::list).isInstanceOf(NoCinemaKnown.class);
  }

  private CinemaRoute.Question ask(CinemaName cinema) {
    events.add("ask " + cinema);
    return () -> {
      events.add("answer " + cinema);
      return catalogue(cinema);
    };
  }

  /** Of which one cinema does not answer within any deadline. */
  private CinemaRoute silent(CinemaName silent) {
    return cinema -> cinema.equals(silent) ? MoviesTest::waitInVain : ask(cinema);
  }

  private static Cinema waitInVain() {
    try {
      var left = Objects.requireNonNull(Deadline.current()).millisLeft();
      new CountDownLatch(1).await(left + 1, TimeUnit.MILLISECONDS);
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
    }
    throw new IllegalStateException("not in time");
  }

  private static Movies movies(
      Presence presence, CinemaRoute route, FanOut fanOut, Duration deadline) {
    return new Movies(() -> presence, route, fanOut, deadline);
  }

  private static Cinema catalogue(CinemaName cinema) {
    return Cinema.of(cinema, List.of());
  }
}
