package testbed.broker.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static testbed.broker.Examples.CINEWORLD;
import static testbed.broker.Examples.DUNDRUM;
import static testbed.broker.Examples.UCD;
import static testbed.broker.Examples.catalogueOf;
import static testbed.broker.Examples.made;
import static testbed.broker.Examples.moviesOf;
import static testbed.broker.Examples.reservationFor;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import testbed.broker.operation.Answer.Listed;
import testbed.broker.operation.Answer.Made;
import testbed.broker.operation.Answer.Movies;
import testbed.broker.operation.Answer.Pending;
import testbed.broker.operation.RequestChannel.Delivery;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;
import testbed.contracts.Page;
import testbed.contracts.ProblemType;
import testbed.contracts.ReservationPage;
import testbed.contracts.message.CinemaRequest;
import testbed.contracts.message.CinemaResponse.MoviesListed;
import testbed.contracts.message.CinemaResponse.RequestRejected;
import testbed.contracts.message.CinemaResponse.ReservationMade;
import testbed.contracts.message.CinemaResponse.ReservationsListed;
import testbed.support.presence.KnownCinemas;
import testbed.support.problem.ProblemException;

class OperationsTest {

  private static final int CAPACITY = 3;
  private static final Duration DEADLINE = Duration.ofSeconds(5);
  private static final Duration EXPIRY = Duration.ofSeconds(60);
  private static final Duration AT_ONCE = Duration.ZERO;
  private static final long PATIENCE_SECONDS = 10;
  private static final Operation ALL_MOVIES = new Operation.ListMovies();
  private static final Operation AT_UCD = new Operation.MakeReservation(UCD);

  private final AtomicLong nanos = new AtomicLong(1_000);
  private final InstantSource clock =
      () -> Instant.parse("2026-11-21T10:00:00Z").plusNanos(nanos.get());
  private final KnownCinemas cinemas =
      new KnownCinemas(Duration.ofSeconds(3), Duration.ofHours(1), clock);
  private final ScriptedChannel channel = new ScriptedChannel();
  private final Correlations store =
      new Correlations(CAPACITY, DEADLINE, EXPIRY, clock, nanos::get);
  private final List<String> traced = new ArrayList<>();
  private String request = "";
  private final Operations operations =
      new Operations(
          store,
          cinemas,
          channel,
          () -> {
            var origin = request;
            return () -> traced.add("%s fetches what %s asked for".formatted(request, origin));
          });

  @Test
  void leadsFromEachFetchToTheRequestThatItFetchesFor() {
    present(UCD);
    request = "one";
    var id = operations.listMovies();
    request = "two";
    operations.listMovies();
    request = "three";

    operations.fetch(id, ALL_MOVIES, Duration.ZERO);

    assertThat(traced).containsExactly("three fetches what one asked for");
  }

  @Test
  void listsTheMoviesOfEveryPresentCinemaByName() {
    present(UCD, CINEWORLD);
    var id = operations.listMovies();

    assertThat(operations.receive(id, moviesOf(UCD))).isEqualTo(Reception.ACCEPTED);
    assertThat(fetch(id)).isInstanceOf(Pending.class);
    assertThat(operations.receive(id, moviesOf(CINEWORLD))).isEqualTo(Reception.ACCEPTED);

    assertThat(fetch(id))
        .isEqualTo(new Movies(List.of(catalogueOf(CINEWORLD), catalogueOf(UCD)), List.of()));
    assertThat(channel.sent.getFirst().request()).isInstanceOf(CinemaRequest.ListMovies.class);
  }

  @Test
  void handsAnAnswerOutAsOftenAsItIsAskedFor() {
    present(UCD);
    var id = operations.listMovies();
    operations.receive(id, moviesOf(UCD));

    assertThat(fetch(id)).isEqualTo(fetch(id)).isInstanceOf(Movies.class);
  }

  @Test
  void holdsEqualCataloguesOnceAndChangedOnesApart() {
    present(UCD);
    var first = answered();
    var second = answered();
    var third = operations.listMovies();
    var changed = Cinema.of(UCD, List.of());
    operations.receive(third, new MoviesListed(UCD, changed));

    assertThat(cinemasIn(fetch(second)).getFirst()).isSameAs(cinemasIn(fetch(first)).getFirst());
    assertThat(cinemasIn(fetch(third))).containsExactly(changed);
  }

  @Test
  void takesAnAnswerThatIsFasterThanTheConfirmation() {
    present(UCD);
    channel.beforeItIsConfirmed = () -> operations.receive(channel.lastId(), moviesOf(UCD));

    var id = operations.listMovies();

    assertThat(fetch(id)).isInstanceOf(Movies.class);
  }

  @Test
  void namesACinemaThatIsGoneWithoutWaitingForIt() {
    present(DUNDRUM);
    pass(Duration.ofSeconds(4));
    present(UCD);
    var id = operations.listMovies();
    operations.receive(id, moviesOf(UCD));

    assertThat(fetch(id)).isEqualTo(new Movies(List.of(catalogueOf(UCD)), List.of(DUNDRUM)));
  }

  @Test
  void completesWhenEverybodyItRemembersAnswersAlthoughNobodySeemedToBeThere() {
    present(UCD, DUNDRUM);
    pass(Duration.ofSeconds(4));
    var id = operations.listMovies();

    operations.receive(id, moviesOf(UCD));
    assertThat(fetch(id)).isInstanceOf(Pending.class);
    operations.receive(id, moviesOf(DUNDRUM));

    assertThat(fetch(id))
        .isEqualTo(new Movies(List.of(catalogueOf(DUNDRUM), catalogueOf(UCD)), List.of()));
  }

  @Test
  void handsOutWhatIsThereAtTheDeadlineAndNamesWhoWasSilent() {
    present(UCD, DUNDRUM, CINEWORLD);
    var id = operations.listMovies();
    operations.receive(id, moviesOf(DUNDRUM));

    pass(DEADLINE.minusNanos(1));
    assertThat(fetch(id)).isInstanceOf(Pending.class);
    pass(Duration.ofNanos(1));

    assertThat(fetch(id))
        .isEqualTo(new Movies(List.of(catalogueOf(DUNDRUM)), List.of(CINEWORLD, UCD)));
  }

  @Test
  void addsALateAnswerToALaterFetch() {
    present(UCD, DUNDRUM);
    var id = operations.listMovies();
    operations.receive(id, moviesOf(DUNDRUM));
    pass(DEADLINE);

    assertThat(operations.receive(id, moviesOf(UCD))).isEqualTo(Reception.LATE);

    assertThat(fetch(id))
        .isEqualTo(new Movies(List.of(catalogueOf(DUNDRUM), catalogueOf(UCD)), List.of()));
  }

  @Test
  void reportsThatNobodyHasAnsweredByTheDeadline() {
    present(UCD);
    var id = operations.listMovies();
    pass(DEADLINE);

    assertProblem(ProblemType.NO_ANSWER, () -> fetch(id));
  }

  @Test
  void waitsUntilTheDeadlineForCinemasThatItDoesNotKnowYet() {
    var id = operations.listMovies();
    operations.receive(id, moviesOf(UCD));

    assertThat(fetch(id)).isInstanceOf(Pending.class);
    pass(DEADLINE);
    assertThat(fetch(id)).isEqualTo(new Movies(List.of(catalogueOf(UCD)), List.of()));
  }

  @Test
  void countsACinemaThatCannotListItsMoviesAsMissing() {
    present(UCD, DUNDRUM);
    var id = operations.listMovies();
    operations.receive(id, new RequestRejected(UCD, ProblemType.INTERNAL, "broken"));
    operations.receive(id, moviesOf(DUNDRUM));

    assertThat(fetch(id)).isEqualTo(new Movies(List.of(catalogueOf(DUNDRUM)), List.of(UCD)));
  }

  @Test
  void reportsNoAnswerWhenEveryCinemaFails() {
    present(UCD);
    var id = operations.listMovies();
    operations.receive(id, new RequestRejected(UCD, ProblemType.INTERNAL, "broken"));

    assertProblem(ProblemType.NO_ANSWER, () -> fetch(id));
  }

  @Test
  void handsOutTheReservationThatTheCinemaMade() {
    var request = reservationFor("Jane");
    var id = operations.makeReservation(UCD, request);
    var reservation = made(id.value(), request);

    assertThat(operations.fetch(id, AT_UCD, AT_ONCE)).isInstanceOf(Pending.class);
    operations.receive(id, new ReservationMade(UCD, reservation));

    assertThat(operations.fetch(id, AT_UCD, AT_ONCE)).isEqualTo(new Made(reservation));
    assertThat(channel.sent.getFirst().request())
        .isEqualTo(new CinemaRequest.MakeReservation(request));
  }

  @Test
  void handsOutAReservationThatIsMadeAfterTheDeadline() {
    var request = reservationFor("Jane");
    var id = operations.makeReservation(UCD, request);
    pass(DEADLINE);
    assertProblem(ProblemType.NO_ANSWER, () -> operations.fetch(id, AT_UCD, AT_ONCE));

    operations.receive(id, new ReservationMade(UCD, made(id.value(), request)));

    assertThat(operations.fetch(id, AT_UCD, AT_ONCE)).isInstanceOf(Made.class);
  }

  @Test
  void passesTheCinemasProblemOn() {
    var id = operations.makeReservation(UCD, reservationFor("Jane"));
    operations.receive(id, new RequestRejected(UCD, ProblemType.SHOWING_UNKNOWN, "not at 18:01"));

    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> operations.fetch(id, AT_UCD, AT_ONCE))
        .satisfies(problem -> assertThat(problem.type()).isEqualTo(ProblemType.SHOWING_UNKNOWN))
        .withMessage("not at 18:01");
  }

  @Test
  void listsTheReservationsOfOneCinema() {
    var id = operations.listReservations(UCD, Page.FIRST);
    var reservations = List.of(made(UUID.randomUUID(), reservationFor("Jane")));
    var found = new ReservationPage(reservations, Page.FIRST, 1);
    operations.receive(id, new ReservationsListed(UCD, found));

    assertThat(operations.fetch(id, new Operation.ListReservations(UCD), AT_ONCE))
        .isEqualTo(new Listed(UCD, found));
  }

  @Test
  void countsASecondAnswerAndKeepsTheFirst() {
    present(UCD, DUNDRUM);
    var id = operations.listMovies();
    operations.receive(id, moviesOf(UCD));

    assertThat(operations.receive(id, moviesOf(UCD))).isEqualTo(Reception.DUPLICATE);
    assertThat(fetch(id)).isInstanceOf(Pending.class);
  }

  @Test
  void ignoresAnswersToOtherQuestionsAndFromOtherCinemas() {
    var request = reservationFor("Jane");
    var id = operations.makeReservation(UCD, request);
    var elsewhere = new ReservationMade(DUNDRUM, made(id.value(), request));

    assertThat(operations.receive(id, moviesOf(UCD))).isEqualTo(Reception.UNKNOWN);
    assertThat(operations.receive(id, elsewhere)).isEqualTo(Reception.UNKNOWN);
    assertThat(operations.receive(new CorrelationId(UUID.randomUUID()), moviesOf(UCD)))
        .isEqualTo(Reception.UNKNOWN);
    assertThat(operations.fetch(id, AT_UCD, AT_ONCE)).isInstanceOf(Pending.class);
  }

  @Test
  void doesNotMixOperationsUp() {
    present(UCD);
    var movies = operations.listMovies();
    var reservation = operations.makeReservation(UCD, reservationFor("Jane"));

    assertProblem(ProblemType.CORRELATION_UNKNOWN, () -> operations.fetch(movies, AT_UCD, AT_ONCE));
    assertProblem(ProblemType.CORRELATION_UNKNOWN, () -> fetch(reservation));
    assertProblem(
        ProblemType.CORRELATION_UNKNOWN,
        () -> operations.fetch(reservation, new Operation.MakeReservation(DUNDRUM), AT_ONCE));
    assertProblem(
        ProblemType.CORRELATION_UNKNOWN,
        () -> operations.fetch(reservation, new Operation.ListReservations(UCD), AT_ONCE));
  }

  @Test
  void tellsExpiredIdsFromUnknownOnes() {
    present(UCD);
    var id = operations.listMovies();
    operations.receive(id, moviesOf(UCD));

    pass(EXPIRY.minusNanos(1));
    assertThat(fetch(id)).isInstanceOf(Movies.class);
    pass(Duration.ofNanos(1));

    assertProblem(ProblemType.CORRELATION_EXPIRED, () -> fetch(id));
    store.forgetExpired();
    assertThat(store.settled()).isZero();
    assertProblem(ProblemType.CORRELATION_EXPIRED, () -> fetch(id));
    assertThat(operations.receive(id, moviesOf(DUNDRUM))).isEqualTo(Reception.UNKNOWN);
    assertProblem(
        ProblemType.CORRELATION_UNKNOWN, () -> fetch(new CorrelationId(UUID.randomUUID())));
  }

  @Test
  void refusesNewOperationsWhileTheStoreIsFullOfPendingOnes() {
    present(UCD);
    var first = operations.listMovies();
    operations.listMovies();
    operations.listMovies();

    assertProblem(ProblemType.UNAVAILABLE, operations::listMovies);
    assertThat(channel.sent).hasSize(CAPACITY);
    operations.receive(first, moviesOf(UCD));
    assertThat(fetch(first)).isInstanceOf(Movies.class);

    operations.listMovies();
    assertProblem(ProblemType.CORRELATION_EXPIRED, () -> fetch(first));
    assertThat(store.pending()).isEqualTo(CAPACITY);
    assertThat(store.settled()).isZero();
  }

  @Test
  void letsTheOldestAnswerGoFirst() {
    present(UCD);
    var pending = operations.listMovies();
    var older = answered();
    var newer = answered();

    answered();

    assertThat(fetch(pending)).isInstanceOf(Pending.class);
    assertProblem(ProblemType.CORRELATION_EXPIRED, () -> fetch(older));
    assertThat(fetch(newer)).isInstanceOf(Movies.class);
    assertThat(store.evicted()).isOne();
  }

  @Test
  void tellsForHowLongTheOldestOperationHasBeenPending() {
    present(UCD);
    assertThat(store.oldestPending()).isZero();

    var oldest = operations.listMovies();
    pass(Duration.ofSeconds(2));
    operations.listMovies();
    pass(Duration.ofSeconds(1));
    assertThat(store.oldestPending()).hasSeconds(3);

    operations.receive(oldest, moviesOf(UCD));
    assertThat(store.oldestPending()).hasSeconds(1);
  }

  @Test
  void makesRoomFromOperationsThatAreOverdue() {
    present(UCD);
    for (int operation = 0; operation < CAPACITY; operation++) {
      operations.listMovies();
    }
    pass(DEADLINE);

    operations.listMovies();

    assertThat(store.pending()).isOne();
    assertThat(store.settled()).isEqualTo(CAPACITY - 1);
  }

  @ParameterizedTest
  @EnumSource(names = {"REFUSED", "UNCONFIRMED"})
  void givesNoIdAwayThatIsNotConfirmed(Delivery delivery) {
    channel.delivery = delivery;
    present(UCD);

    assertProblem(ProblemType.UNAVAILABLE, operations::listMovies);
    assertProblem(
        ProblemType.UNAVAILABLE, () -> operations.makeReservation(UCD, reservationFor("Jane")));
    assertThat(store.pending() + store.settled()).isZero();
    assertThat(operations.receive(channel.lastId(), moviesOf(UCD))).isEqualTo(Reception.UNKNOWN);
  }

  @Test
  void knowsNoCinemaThatHasNoQueueAndWasNeverSeen() {
    channel.delivery = Delivery.REFUSED;

    assertProblem(
        ProblemType.CINEMA_UNKNOWN, () -> operations.makeReservation(UCD, reservationFor("Jane")));
    channel.delivery = Delivery.UNCONFIRMED;
    assertProblem(
        ProblemType.UNAVAILABLE, () -> operations.makeReservation(UCD, reservationFor("Jane")));
  }

  @Test
  void forgetsTheOperationWhenTheChannelFails() {
    channel.beforeItIsConfirmed =
        () -> {
          throw new IllegalStateException("broken");
        };

    assertThatExceptionOfType(IllegalStateException.class).isThrownBy(operations::listMovies);
    assertThat(store.pending()).isZero();
  }

  @Test
  void wakesAFetchThatWaitsAsSoonAsEverybodyHasAnswered() throws Exception {
    present(UCD);
    var id = operations.listMovies();
    var fetch =
        CompletableFuture.supplyAsync(
            () -> operations.fetch(id, ALL_MOVIES, Duration.ofHours(1)),
            Thread::startVirtualThread);

    operations.receive(id, moviesOf(UCD));

    // The clock of this test stands still: only the answer can end the wait before the deadline.
    assertThat(fetch.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isInstanceOf(Movies.class);
  }

  @Test
  void waitsNoLongerThanTheClientWants() {
    present(UCD);
    var id = operations.listMovies();

    assertThat(operations.fetch(id, ALL_MOVIES, Duration.ofMillis(1))).isInstanceOf(Pending.class);
  }

  private CorrelationId answered() {
    var id = operations.listMovies();
    operations.receive(id, moviesOf(UCD));
    return id;
  }

  private static List<Cinema> cinemasIn(Answer answer) {
    return ((Movies) answer).cinemas();
  }

  private Answer fetch(CorrelationId id) {
    return operations.fetch(id, ALL_MOVIES, AT_ONCE);
  }

  private void present(CinemaName... there) {
    for (var cinema : there) {
      cinemas.seen(cinema);
    }
  }

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  private static void assertProblem(ProblemType type, ThrowingCallable call) {
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(call)
        .satisfies(problem -> assertThat(problem.type()).isEqualTo(type));
  }
}
