package testbed.broker.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static testbed.broker.Examples.DUNDRUM;
import static testbed.broker.Examples.UCD;
import static testbed.broker.Examples.moviesOf;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import testbed.broker.operation.Correlations.Limits;
import testbed.cinemas.KnownCinemas;
import testbed.contracts.Cinema;
import testbed.contracts.Page;
import testbed.contracts.ProblemType;
import testbed.contracts.ReservationPage;
import testbed.contracts.message.CinemaMessage.ListMovies;
import testbed.contracts.message.CinemaMessage.ListMovies.MoviesListed;
import testbed.contracts.message.CinemaMessage.ListReservations;
import testbed.contracts.message.CinemaMessage.ListReservations.ReservationsListed;
import testbed.contracts.message.CinemaMessage.RequestRejected;
import testbed.support.problem.ProblemException;

/** How much the store holds, and for how long. */
class CorrelationsTest {

  private static final long KILOBYTE = 1_024;

  /** With its operation's own kilobyte, an answer of this size takes four. */
  private static final int BODY = (int) KILOBYTE;

  /** How many such answers fit. */
  private static final int FITTING = 6;

  private static final long MAX_BYTES = FITTING * 4 * KILOBYTE;
  private static final Duration DEADLINE = Duration.ofSeconds(5);
  private static final Duration EXPIRY = Duration.ofSeconds(60);
  private static final Duration FETCHED_EXPIRY = Duration.ofSeconds(10);
  private static final Operation<MoviesListed> ALL_MOVIES =
      Operation.atEveryCinema(MoviesListed.class);
  private static final Operation<ReservationsListed> LIST_AT_UCD =
      Operation.at("ucd", ReservationsListed.class);
  private static final ReservationsListed LISTED =
      new ReservationsListed(UCD, new ReservationPage(List.of(), Page.FIRST, 0));

  private final AtomicLong nanos = new AtomicLong(1_000);
  private final InstantSource clock =
      () -> Instant.parse("2026-11-21T10:00:00Z").plusNanos(nanos.get());
  private final KnownCinemas cinemas =
      new KnownCinemas(Duration.ofHours(1), Duration.ofHours(1), clock);
  private Correlations store = store(FETCHED_EXPIRY);
  private Operations operations = operations();

  @Test
  void holdsNoMoreThanItsMemory() {
    for (int answer = 0; answer < 1_000; answer++) {
      answered(BODY);
      assertThat(store.bytes()).isLessThanOrEqualTo(MAX_BYTES);
    }

    assertThat(store.settled()).isEqualTo(FITTING);
    assertThat(store.evicted()).isEqualTo(1_000 - FITTING);
  }

  @Test
  void dropsTheOldestAnswersForALargeOne() {
    var oldest = answered(BODY);
    var older = answered(BODY);
    var newer = answered(BODY);

    var large = answered(4 * BODY);

    assertExpired(oldest);
    assertThat(store.evicted()).isOne();
    assertThat(fetch(older)).isTrue();
    assertThat(fetch(newer)).isTrue();
    assertThat(fetch(large)).isTrue();
  }

  @Test
  void doesNotDropAllOthersForAnAnswerThatIsLargerThanItself() {
    var small = answered(BODY);

    var tooLarge = answered((int) MAX_BYTES);

    assertExpired(tooLarge);
    assertThat(fetch(small)).isTrue();
    assertThat(store.evicted()).isOne();
    assertThat(store.bytes()).isEqualTo(4 * KILOBYTE);
  }

  @Test
  void handsAnAnswerThatIsTooLargeToWhoeverWaitsForIt() {
    var id = request();
    var waiting = store.require(id, LIST_AT_UCD, Client.ANONYMOUS);

    operations.receive(id, LISTED, (int) MAX_BYTES);

    assertThat(waiting.answer(ReservationsListed.class, false)).isPresent();
  }

  @Test
  void refusesNewOperationsWhilePendingOnesFillItsMemory() {
    cinemas.seen(UCD);
    cinemas.seen(DUNDRUM);
    var partial = operations.start(ALL_MOVIES, new ListMovies());
    var answered = answered(BODY);
    operations.receive(partial, moviesOf(UCD), (int) MAX_BYTES);

    assertThatExceptionOfType(Unavailable.class)
        .isThrownBy(this::request)
        .satisfies(full -> assertThat(full.retryAfter()).contains(Duration.ofSeconds(1)));
    assertThat(store.pending()).isOne();
    assertExpired(answered);

    // Complete, it makes room like every other.
    operations.receive(partial, moviesOf(DUNDRUM), BODY);
    assertThat(store.bytes()).isZero();
    request();
  }

  @Test
  void makesRoomFromALargeAnswerThatNeverBecameComplete() {
    cinemas.seen(UCD);
    cinemas.seen(DUNDRUM);
    var partial = operations.start(ALL_MOVIES, new ListMovies());
    operations.receive(partial, moviesOf(UCD), (int) MAX_BYTES);
    pass(DEADLINE);

    request();

    assertThat(store.bytes()).isEqualTo(KILOBYTE);
  }

  @Test
  void weighsACatalogueOnceThatManyAnswersShare() {
    cinemas.seen(UCD);
    for (int answer = 0; answer < 10; answer++) {
      operations.receive(operations.start(ALL_MOVIES, new ListMovies()), moviesOf(UCD), BODY);
    }
    assertThat(store.bytes()).isEqualTo(10 * KILOBYTE + 3 * BODY);

    var changed = new MoviesListed(UCD, Cinema.of(UCD, List.of()));
    operations.receive(operations.start(ALL_MOVIES, new ListMovies()), changed, BODY);
    assertThat(store.bytes()).isEqualTo(11 * KILOBYTE + 6 * BODY);
  }

  @Test
  void weighsNothingThatItHasLetGo() {
    var pending = request();
    answered(BODY);
    fetch(answered(BODY));
    operations.receive(pending, LISTED, BODY);
    assertThat(store.bytes()).isEqualTo(12 * KILOBYTE);

    pass(EXPIRY);
    store.forgetExpired();

    assertThat(store.bytes()).isZero();
    assertThat(operations.receive(pending, LISTED, BODY)).isEqualTo(Reception.UNKNOWN);
    assertThat(store.bytes()).isZero();
  }

  @Test
  void letsAnAnswerGoSoonAfterItsFirstFetch() {
    var id = answered(BODY);
    pass(Duration.ofSeconds(20));
    assertThat(fetch(id)).isTrue();
    var unfetched = answered(BODY);

    pass(FETCHED_EXPIRY.minusNanos(1));
    assertThat(fetch(id)).isTrue();
    pass(Duration.ofNanos(1));

    assertExpired(id);
    store.forgetExpired();
    assertThat(store.settled()).isOne();
    assertThat(fetch(unfetched)).isTrue();
  }

  @Test
  void keepsAnAnswerNoLongerBecauseItWasFetchedLate() {
    var id = answered(BODY);
    pass(EXPIRY.minusNanos(1));
    assertThat(fetch(id)).isTrue();

    pass(Duration.ofNanos(1));

    assertExpired(id);
    store.forgetExpired();
    assertThat(store.settled()).isZero();
  }

  @Test
  void letsARefusalGoSoonAfterItsFirstFetch() {
    var id = request();
    operations.receive(id, new RequestRejected(UCD, ProblemType.INTERNAL, "broken"), BODY);
    assertProblem(ProblemType.INTERNAL, () -> fetch(id));

    pass(FETCHED_EXPIRY);

    assertExpired(id);
  }

  @Test
  void keepsAListThatOthersMayStillComplete() {
    cinemas.seen(UCD);
    cinemas.seen(DUNDRUM);
    var id = operations.start(ALL_MOVIES, new ListMovies());
    operations.receive(id, moviesOf(UCD), BODY);
    pass(DEADLINE);
    assertThat(operations.fetch(id, ALL_MOVIES, Duration.ZERO)).isPresent();
    pass(FETCHED_EXPIRY);

    assertThat(operations.receive(id, moviesOf(DUNDRUM), BODY)).isEqualTo(Reception.LATE);

    assertThat(operations.fetch(id, ALL_MOVIES, Duration.ZERO))
        .hasValueSatisfying(answer -> assertThat(answer.missing()).isEmpty());
  }

  @Test
  void dropsAnswersThatWereFetchedBeforeThoseThatWereNot() {
    var unfetched = answered(BODY);
    var fetched = answered(BODY);
    fetch(fetched);

    for (int more = 2; more <= FITTING; more++) {
      answered(BODY);
    }

    assertExpired(fetched);
    assertThat(fetch(unfetched)).isTrue();
  }

  @Test
  void keepsFetchedAnswersLikeOthersIfTheyExpireNoSooner() {
    store = store(EXPIRY);
    operations = operations();
    var oldest = answered(BODY);
    var fetched = answered(BODY);
    fetch(fetched);

    for (int more = 2; more <= FITTING; more++) {
      answered(BODY);
    }
    assertExpired(oldest);
    pass(EXPIRY.minusNanos(1));
    assertThat(fetch(fetched)).isTrue();
  }

  private Correlations store(Duration fetchedExpiry) {
    return new Correlations(
        new Limits(1_000, MAX_BYTES, DEADLINE, EXPIRY, fetchedExpiry), clock, nanos::get);
  }

  private Operations operations() {
    return new Operations(
        store, cinemas, new ScriptedChannel(), () -> Client.ANONYMOUS, () -> Origin.UNTRACED);
  }

  private CorrelationId answered(int body) {
    var id = request();
    assertThat(operations.receive(id, LISTED, body)).isEqualTo(Reception.ACCEPTED);
    return id;
  }

  private CorrelationId request() {
    return operations.start(LIST_AT_UCD, new ListReservations(Page.FIRST));
  }

  private boolean fetch(CorrelationId id) {
    return operations.fetch(id, LIST_AT_UCD, Duration.ZERO).isPresent();
  }

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  private void assertExpired(CorrelationId id) {
    assertProblem(ProblemType.CORRELATION_EXPIRED, () -> fetch(id));
  }

  private static void assertProblem(ProblemType type, ThrowingCallable call) {
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(call)
        .satisfies(problem -> assertThat(problem.type()).isEqualTo(type));
  }
}
