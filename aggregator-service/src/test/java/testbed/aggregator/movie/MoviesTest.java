package testbed.aggregator.movie;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;
import testbed.support.deadline.Deadline;
import testbed.support.presence.Presence;

class MoviesTest {

  private static final CinemaName CINEWORLD = new CinemaName("cineworld");
  private static final CinemaName DUNDRUM = new CinemaName("dundrum");
  private static final CinemaName UCD = new CinemaName("ucd");
  private static final Presence ALL = Presence.of(List.of(UCD, CINEWORLD, DUNDRUM), List.of());
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final Duration SHORT = Duration.ofSeconds(1);

  private final CountDownLatch testEnds = new CountDownLatch(1);
  private final List<CinemaName> interrupted = new CopyOnWriteArrayList<>();

  @AfterEach
  void releaseSilentCinemas() {
    testEnds.countDown();
  }

  @ParameterizedTest
  @EnumSource
  void combinesEveryCinemaSortedByName(FanOut fanOut) {
    try (var movies = movies(ALL, MoviesTest::catalogue, fanOut, LONG)) {
      var list = movies.list();

      assertThat(list.cinemas())
          .containsExactly(catalogue(CINEWORLD), catalogue(DUNDRUM), catalogue(UCD));
      assertThat(list.missing()).isEmpty();
    }
  }

  @Test
  void asksAllAtOnceInParallel() {
    // Nobody passes the barrier before all three have come to it.
    var barrier = new CyclicBarrier(3);
    CinemaRoute route =
        cinema -> {
          try {
            barrier.await();
          } catch (InterruptedException | BrokenBarrierException e) {
            throw new IllegalStateException(e);
          }
          return catalogue(cinema);
        };

    try (var movies = movies(ALL, route, FanOut.PARALLEL, LONG)) {
      assertThat(movies.list().cinemas()).hasSize(3);
    }
  }

  @Test
  void asksOneAfterAnotherInSequence() {
    var events = new CopyOnWriteArrayList<String>();
    CinemaRoute route =
        cinema -> {
          events.add("ask " + cinema);
          Thread.yield();
          events.add("answer " + cinema);
          return catalogue(cinema);
        };

    try (var movies = movies(ALL, route, FanOut.SEQUENTIAL, LONG)) {
      movies.list();
    }

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
        cinema -> {
          if (cinema.equals(CINEWORLD)) {
            throw new IllegalStateException("out of order");
          }
          return catalogue(cinema);
        };

    try (var movies = movies(ALL, route, fanOut, LONG)) {
      var list = movies.list();

      assertThat(list.cinemas()).containsExactly(catalogue(DUNDRUM), catalogue(UCD));
      assertThat(list.missing()).containsExactly(CINEWORLD);
    }
  }

  @Test
  void namesACinemaThatIsSilentAtTheDeadlineAndCancelsTheQuestion() {
    try (var movies = movies(ALL, silent(DUNDRUM), FanOut.PARALLEL, SHORT)) {
      var list = movies.list();

      assertThat(list.cinemas()).containsExactly(catalogue(CINEWORLD), catalogue(UCD));
      assertThat(list.missing()).containsExactly(DUNDRUM);
      await().untilAsserted(() -> assertThat(interrupted).containsExactly(DUNDRUM));
    }
  }

  @ParameterizedTest
  @EnumSource
  void waitsNoLongerThanItsCallerAndTellsTheWayToACinema(FanOut fanOut) {
    var told = new CopyOnWriteArrayList<Long>();
    CinemaRoute route =
        cinema -> {
          told.add(Objects.requireNonNull(Deadline.current()).millisLeft());
          return catalogue(cinema);
        };

    try (var movies = movies(ALL, route, fanOut, Duration.ofHours(2))) {
      movies.list();
      try (var bound = Deadline.of(Duration.ofHours(1), Duration.ZERO).bind()) {
        movies.list();
      }
    }

    var hour = Duration.ofHours(1).toMillis();
    assertThat(told).hasSize(6);
    assertThat(told.subList(0, 3)).allSatisfy(left -> assertThat(left).isGreaterThan(hour));
    assertThat(told.subList(3, 6)).allSatisfy(left -> assertThat(left).isBetween(1L, hour));
  }

  @Test
  void namesTheSilentCinemaAndThoseBehindItWhenAskedInSequence() {
    try (var movies = movies(ALL, silent(DUNDRUM), FanOut.SEQUENTIAL, SHORT)) {
      var list = movies.list();

      assertThat(list.cinemas()).containsExactly(catalogue(CINEWORLD));
      assertThat(list.missing()).containsExactly(DUNDRUM, UCD);
      await().untilAsserted(() -> assertThat(interrupted).containsExactly(DUNDRUM));
    }
  }

  @Test
  void namesACinemaThatIsRememberedWithoutAskingIt() {
    var asked = new CopyOnWriteArrayList<CinemaName>();
    CinemaRoute route =
        cinema -> {
          asked.add(cinema);
          return catalogue(cinema);
        };
    var known = Presence.of(List.of(UCD), List.of(DUNDRUM));

    try (var movies = movies(known, route, FanOut.PARALLEL, LONG)) {
      var list = movies.list();

      assertThat(list.cinemas()).containsExactly(catalogue(UCD));
      assertThat(list.missing()).containsExactly(DUNDRUM);
      assertThat(asked).containsExactly(UCD);
    }
  }

  @ParameterizedTest
  @EnumSource
  void hasNoAnswerIfAllAreSilentOrGone(FanOut fanOut) {
    var known = Presence.of(List.of(UCD), List.of(DUNDRUM));

    try (var movies = movies(known, silent(UCD), fanOut, SHORT)) {
      assertThatThrownBy(movies::list)
          .isInstanceOf(NoCinemaAnswered.class)
          .hasMessage("No answer from: dundrum, ucd.");
    }
  }

  @ParameterizedTest
  @EnumSource
  void saysThatNoPortWasLeftIfThatKeptEveryAnswerAway(FanOut fanOut) {
    CinemaRoute route =
        cinema -> {
          if (cinema.equals(DUNDRUM)) {
            throw new NoPortLeft();
          }
          throw new IllegalStateException("out of order");
        };

    try (var movies = movies(ALL, route, fanOut, LONG)) {
      assertThatThrownBy(movies::list).isInstanceOf(NoPortLeft.class);
    }
  }

  @ParameterizedTest
  @EnumSource
  void namesACinemaThatCouldNotBeAskedForLackOfAPort(FanOut fanOut) {
    CinemaRoute route =
        cinema -> {
          if (cinema.equals(DUNDRUM)) {
            throw new NoPortLeft();
          }
          return catalogue(cinema);
        };

    try (var movies = movies(ALL, route, fanOut, LONG)) {
      assertThat(movies.list().missing()).containsExactly(DUNDRUM);
    }
  }

  @Test
  void isUnavailableIfNoCinemaIsKnown() {
    var nobody = Presence.of(List.of(), List.of());

    try (var movies = movies(nobody, MoviesTest::catalogue, FanOut.PARALLEL, LONG)) {
      assertThatThrownBy(movies::list).isInstanceOf(NoCinemaKnown.class);
    }
  }

  private CinemaRoute silent(CinemaName silent) {
    return cinema -> {
      if (cinema.equals(silent)) {
        try {
          testEnds.await();
        } catch (InterruptedException e) {
          interrupted.add(cinema);
          Thread.currentThread().interrupt();
          throw new IllegalStateException(e);
        }
      }
      return catalogue(cinema);
    };
  }

  private static Movies movies(
      Presence known, CinemaRoute route, FanOut fanOut, Duration deadline) {
    return new Movies(
        () -> known, route, fanOut, deadline, Executors.newVirtualThreadPerTaskExecutor());
  }

  private static Cinema catalogue(CinemaName cinema) {
    return Cinema.of(cinema, List.of());
  }
}
