package testbed.broker.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static testbed.broker.Examples.CINEWORLD;
import static testbed.broker.Examples.DUNDRUM;
import static testbed.broker.Examples.UCD;
import static testbed.broker.Examples.made;
import static testbed.broker.Examples.moviesOf;
import static testbed.broker.Examples.reservationFor;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import testbed.broker.Examples;
import testbed.broker.operation.Correlations.Limits;
import testbed.broker.operation.RequestChannel.Delivery;
import testbed.cinemas.KnownCinemas;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;
import testbed.contracts.Page;
import testbed.contracts.ProblemType;
import testbed.contracts.ReservationPage;
import testbed.contracts.ReservationRequest;
import testbed.contracts.message.CinemaMessage.ListMovies;
import testbed.contracts.message.CinemaMessage.ListMovies.MoviesListed;
import testbed.contracts.message.CinemaMessage.ListReservations;
import testbed.contracts.message.CinemaMessage.ListReservations.ReservationsListed;
import testbed.contracts.message.CinemaMessage.MakeReservation;
import testbed.contracts.message.CinemaMessage.MakeReservation.ReservationMade;
import testbed.contracts.message.CinemaMessage.RequestRejected;
import testbed.contracts.message.CinemaMessage.Response;
import testbed.support.problem.ProblemException;

class OperationsTest {

  private static final int CAPACITY = 3;
  private static final Duration DEADLINE = Duration.ofSeconds(5);
  private static final Duration EXPIRY = Duration.ofSeconds(60);
  private static final int BODY = 100;
  private static final Duration AT_ONCE = Duration.ZERO;
  private static final long PATIENCE_SECONDS = 60;
  private static final Operation<MoviesListed> ALL_MOVIES =
      Operation.atEveryCinema(MoviesListed.class);
  private static final Operation<ReservationMade> AT_UCD =
      Operation.at("ucd", ReservationMade.class);
  private static final Operation<ReservationsListed> LIST_AT_UCD =
      Operation.at("ucd", ReservationsListed.class);

  private final AtomicLong nanos = new AtomicLong(1_000);
  private final InstantSource clock =
      () -> Instant.parse("2026-11-21T10:00:00Z").plusNanos(nanos.get());
  private final KnownCinemas cinemas =
      new KnownCinemas(Duration.ofSeconds(3), Duration.ofHours(1), clock);
  private final ScriptedChannel channel = new ScriptedChannel();
  private final Correlations store =
      new Correlations(
          new Limits(CAPACITY, Long.MAX_VALUE, DEADLINE, EXPIRY, EXPIRY), clock, nanos::get);
  private final List<String> traced = new ArrayList<>();
  private Client asking = Client.ANONYMOUS;
  private String request = "";
  private final Operations operations =
      new Operations(
          store,
          cinemas,
          channel,
          () -> asking,
          () -> {
            var origin = request;
            return () -> traced.add("%s fetches what %s asked for".formatted(request, origin));
          });

  @Test
  void leadsFromEachFetchToTheRequestThatItFetchesFor() {
    present(UCD);
    request = "one";
    var id = listMovies();
    request = "two";
    listMovies();
    request = "three";

    operations.fetch(id, ALL_MOVIES, Duration.ZERO);

    assertThat(traced).containsExactly("three fetches what one asked for");
  }

  @Test
  void listsTheMoviesOfEveryPresentCinemaByName() {
    present(UCD, CINEWORLD);
    var id = listMovies();

    assertThat(receive(id, moviesOf(UCD))).isEqualTo(Reception.ACCEPTED);
    assertThat(fetch(id)).isEmpty();
    assertThat(receive(id, moviesOf(CINEWORLD))).isEqualTo(Reception.ACCEPTED);

    assertThat(fetch(id)).contains(movies(List.of(CINEWORLD, UCD), List.of()));
    assertThat(channel.sent.getFirst().request()).isInstanceOf(ListMovies.class);
  }

  @Test
  void handsAnAnswerOutAsOftenAsItIsAskedFor() {
    present(UCD);
    var id = listMovies();
    receive(id, moviesOf(UCD));

    assertThat(fetch(id)).isEqualTo(fetch(id)).isPresent();
  }

  @Test
  void holdsEqualCataloguesOnceAndChangedOnesApart() {
    present(UCD);
    var first = answered();
    var second = answered();
    var third = listMovies();
    var changed = Cinema.of(UCD, List.of());
    receive(third, new MoviesListed(UCD, changed));

    assertThat(cinemasIn(fetch(second)).getFirst()).isSameAs(cinemasIn(fetch(first)).getFirst());
    assertThat(cinemasIn(fetch(third))).containsExactly(changed);
  }

  @Test
  void takesAnAnswerThatIsFasterThanTheConfirmation() {
    present(UCD);
    channel.beforeItIsConfirmed = () -> receive(channel.lastId(), moviesOf(UCD));

    var id = listMovies();

    assertThat(fetch(id)).isPresent();
  }

  @Test
  void tellsTheChannelWhenEverybodyHasAnswered() {
    present(UCD, DUNDRUM);
    var id = listMovies();
    var answered = channel.sent.getFirst().answered();

    receive(id, moviesOf(UCD));
    assertThat(answered).isNotDone();
    receive(id, moviesOf(DUNDRUM));
    assertThat(answered).isDone();
  }

  @Test
  void namesACinemaThatIsGoneWithoutWaitingForIt() {
    present(DUNDRUM);
    pass(Duration.ofSeconds(4));
    present(UCD);
    var id = listMovies();
    receive(id, moviesOf(UCD));

    assertThat(fetch(id)).contains(movies(List.of(UCD), List.of(DUNDRUM)));
  }

  @Test
  void completesWhenEverybodyItRemembersAnswersAlthoughNobodySeemedToBeThere() {
    present(UCD, DUNDRUM);
    pass(Duration.ofSeconds(4));
    var id = listMovies();

    receive(id, moviesOf(UCD));
    assertThat(fetch(id)).isEmpty();
    receive(id, moviesOf(DUNDRUM));

    assertThat(fetch(id)).contains(movies(List.of(DUNDRUM, UCD), List.of()));
  }

  @Test
  void handsOutWhatIsThereAtTheDeadlineAndNamesWhoWasSilent() {
    present(UCD, DUNDRUM, CINEWORLD);
    var id = listMovies();
    receive(id, moviesOf(DUNDRUM));

    pass(DEADLINE.minusNanos(1));
    assertThat(fetch(id)).isEmpty();
    pass(Duration.ofNanos(1));

    assertThat(fetch(id)).contains(movies(List.of(DUNDRUM), List.of(CINEWORLD, UCD)));
  }

  @Test
  void addsALateAnswerToALaterFetch() {
    present(UCD, DUNDRUM);
    var id = listMovies();
    receive(id, moviesOf(DUNDRUM));
    pass(DEADLINE);

    assertThat(receive(id, moviesOf(UCD))).isEqualTo(Reception.LATE);

    assertThat(fetch(id)).contains(movies(List.of(DUNDRUM, UCD), List.of()));
  }

  @Test
  void reportsThatNobodyHasAnsweredByTheDeadline() {
    present(UCD);
    var id = listMovies();
    pass(DEADLINE);

    assertProblem(ProblemType.NO_ANSWER, () -> fetch(id));
  }

  @Test
  void waitsUntilTheDeadlineForCinemasThatItDoesNotKnowYet() {
    var id = listMovies();
    receive(id, moviesOf(UCD));

    assertThat(fetch(id)).isEmpty();
    pass(DEADLINE);
    assertThat(fetch(id)).contains(movies(List.of(UCD), List.of()));
  }

  @Test
  void countsACinemaThatCannotListItsMoviesAsMissing() {
    present(UCD, DUNDRUM);
    var id = listMovies();
    receive(id, new RequestRejected(UCD, ProblemType.INTERNAL, "broken"));
    receive(id, moviesOf(DUNDRUM));

    assertThat(fetch(id)).contains(movies(List.of(DUNDRUM), List.of(UCD)));
  }

  @Test
  void reportsNoAnswerWhenEveryCinemaFails() {
    present(UCD);
    var id = listMovies();
    receive(id, new RequestRejected(UCD, ProblemType.INTERNAL, "broken"));

    assertProblem(ProblemType.NO_ANSWER, () -> fetch(id));
  }

  @Test
  void handsOutTheReservationThatTheCinemaMade() {
    var request = reservationFor("Jane");
    var id = makeReservation(request);
    var reservation = made(id.value(), request);

    assertThat(operations.fetch(id, AT_UCD, AT_ONCE)).isEmpty();
    receive(id, new ReservationMade(UCD, reservation));

    assertThat(operations.fetch(id, AT_UCD, AT_ONCE))
        .contains(answer(new ReservationMade(UCD, reservation)));
    assertThat(channel.sent.getFirst().request()).isEqualTo(new MakeReservation(request));
  }

  @Test
  void handsOutAReservationThatIsMadeAfterTheDeadline() {
    var request = reservationFor("Jane");
    var id = makeReservation(request);
    pass(DEADLINE);
    assertProblem(ProblemType.NO_ANSWER, () -> operations.fetch(id, AT_UCD, AT_ONCE));

    receive(id, new ReservationMade(UCD, made(id.value(), request)));

    assertThat(operations.fetch(id, AT_UCD, AT_ONCE)).isPresent();
  }

  @Test
  void passesTheCinemasProblemOn() {
    var id = makeReservation(reservationFor("Jane"));
    receive(id, new RequestRejected(UCD, ProblemType.SHOWING_UNKNOWN, "not at 18:01"));

    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> operations.fetch(id, AT_UCD, AT_ONCE))
        .satisfies(problem -> assertThat(problem.type()).isEqualTo(ProblemType.SHOWING_UNKNOWN))
        .withMessage("not at 18:01");
  }

  @Test
  void listsTheReservationsOfOneCinema() {
    var id = operations.start(LIST_AT_UCD, new ListReservations(Page.FIRST));
    var reservations = List.of(made(UUID.randomUUID(), reservationFor("Jane")));
    var page = new ReservationPage(reservations, Page.FIRST, 1);
    receive(id, new ReservationsListed(UCD, page));

    assertThat(operations.fetch(id, LIST_AT_UCD, AT_ONCE))
        .contains(answer(new ReservationsListed(UCD, page)));
  }

  @Test
  void countsASecondAnswerAndKeepsTheFirst() {
    present(UCD, DUNDRUM);
    var id = listMovies();
    receive(id, moviesOf(UCD));

    assertThat(receive(id, moviesOf(UCD))).isEqualTo(Reception.DUPLICATE);
    assertThat(fetch(id)).isEmpty();
  }

  @Test
  void ignoresAnswersToOtherQuestionsAndFromOtherCinemas() {
    var request = reservationFor("Jane");
    var id = makeReservation(request);
    var elsewhere = new ReservationMade(DUNDRUM, made(id.value(), request));

    assertThat(receive(id, moviesOf(UCD))).isEqualTo(Reception.UNKNOWN);
    assertThat(receive(id, elsewhere)).isEqualTo(Reception.UNKNOWN);
    assertThat(receive(new CorrelationId(UUID.randomUUID()), moviesOf(UCD)))
        .isEqualTo(Reception.UNKNOWN);
    assertThat(operations.fetch(id, AT_UCD, AT_ONCE)).isEmpty();
  }

  @Test
  void doesNotMixOperationsUp() {
    present(UCD);
    var movies = listMovies();
    var reservation = makeReservation(reservationFor("Jane"));

    assertProblem(ProblemType.CORRELATION_UNKNOWN, () -> operations.fetch(movies, AT_UCD, AT_ONCE));
    assertProblem(ProblemType.CORRELATION_UNKNOWN, () -> fetch(reservation));
    assertProblem(
        ProblemType.CORRELATION_UNKNOWN,
        () ->
            operations.fetch(reservation, Operation.at("dundrum", ReservationMade.class), AT_ONCE));
    assertProblem(
        ProblemType.CORRELATION_UNKNOWN, () -> operations.fetch(reservation, LIST_AT_UCD, AT_ONCE));
  }

  @Test
  void hasAnswersOnlyForTheClientThatAsked() {
    present(UCD);
    asking = new Client("jane");
    var id = answered();

    for (var other : List.of(new Client("john"), Client.ANONYMOUS)) {
      asking = other;
      assertProblem(ProblemType.CORRELATION_UNKNOWN, () -> fetch(id));
    }
    asking = new Client("jane");
    assertThat(fetch(id)).isPresent();
  }

  @Test
  void tellsNoOtherClientThatAnAnswerHasExpired() {
    present(UCD);
    asking = new Client("jane");
    var id = answered();
    pass(EXPIRY);

    asking = new Client("john");
    assertProblem(ProblemType.CORRELATION_UNKNOWN, () -> fetch(id));
    asking = new Client("jane");
    assertProblem(ProblemType.CORRELATION_EXPIRED, () -> fetch(id));
  }

  @Test
  void tellsExpiredIdsFromUnknownOnes() {
    present(UCD);
    var id = listMovies();
    receive(id, moviesOf(UCD));

    pass(EXPIRY.minusNanos(1));
    assertThat(fetch(id)).isPresent();
    pass(Duration.ofNanos(1));

    assertProblem(ProblemType.CORRELATION_EXPIRED, () -> fetch(id));
    store.forgetExpired();
    assertThat(store.settled()).isZero();
    assertProblem(ProblemType.CORRELATION_EXPIRED, () -> fetch(id));
    assertThat(receive(id, moviesOf(DUNDRUM))).isEqualTo(Reception.UNKNOWN);
    assertProblem(
        ProblemType.CORRELATION_UNKNOWN, () -> fetch(new CorrelationId(UUID.randomUUID())));
  }

  @Test
  void refusesNewOperationsWhileTheStoreIsFullOfPendingOnes() {
    present(UCD);
    var first = listMovies();
    listMovies();
    listMovies();

    assertProblem(ProblemType.UNAVAILABLE, this::listMovies);
    assertThat(channel.sent).hasSize(CAPACITY);
    receive(first, moviesOf(UCD));
    assertThat(fetch(first)).isPresent();

    listMovies();
    assertProblem(ProblemType.CORRELATION_EXPIRED, () -> fetch(first));
    assertThat(store.pending()).isEqualTo(CAPACITY);
    assertThat(store.settled()).isZero();
  }

  @Test
  void letsTheOldestAnswerGoFirst() {
    present(UCD);
    var pending = listMovies();
    var older = answered();
    var newer = answered();

    answered();

    assertThat(fetch(pending)).isEmpty();
    assertProblem(ProblemType.CORRELATION_EXPIRED, () -> fetch(older));
    assertThat(fetch(newer)).isPresent();
    assertThat(store.evicted()).isOne();
  }

  @Test
  void tellsForHowLongTheOldestOperationHasBeenPending() {
    present(UCD);
    assertThat(store.oldestPending()).isZero();

    var oldest = listMovies();
    pass(Duration.ofSeconds(2));
    listMovies();
    pass(Duration.ofSeconds(1));
    assertThat(store.oldestPending()).hasSeconds(3);

    receive(oldest, moviesOf(UCD));
    assertThat(store.oldestPending()).hasSeconds(1);
  }

  @Test
  void makesRoomFromOperationsThatAreOverdue() {
    present(UCD);
    for (int operation = 0; operation < CAPACITY; operation++) {
      listMovies();
    }
    pass(DEADLINE);

    listMovies();

    assertThat(store.pending()).isOne();
    assertThat(store.settled()).isEqualTo(CAPACITY - 1);
  }

  @ParameterizedTest
  @EnumSource(names = {"REFUSED", "UNCONFIRMED"})
  void givesNoIdAwayThatIsNotConfirmed(Delivery delivery) {
    channel.delivery = delivery;
    present(UCD);

    assertProblem(ProblemType.UNAVAILABLE, this::listMovies);
    assertProblem(ProblemType.UNAVAILABLE, () -> makeReservation(reservationFor("Jane")));
    assertThat(store.pending() + store.settled()).isZero();
    assertThat(receive(channel.lastId(), moviesOf(UCD))).isEqualTo(Reception.UNKNOWN);
  }

  @Test
  void givesNoIdAwayForWhatMayBeCarriedOut() {
    channel.delivery = Delivery.UNKNOWN;

    assertProblem(ProblemType.TIME_LIMIT, () -> makeReservation(reservationFor("Jane")));
    assertThat(store.pending() + store.settled()).isZero();
  }

  @Test
  void knowsNoCinemaThatHasNoQueueAndWasNeverSeen() {
    channel.delivery = Delivery.REFUSED;

    assertProblem(ProblemType.CINEMA_UNKNOWN, () -> makeReservation(reservationFor("Jane")));
    channel.delivery = Delivery.UNCONFIRMED;
    assertProblem(ProblemType.UNAVAILABLE, () -> makeReservation(reservationFor("Jane")));
  }

  @Test
  void forgetsTheOperationWhenTheChannelFails() {
    channel.beforeItIsConfirmed =
        () -> {
          throw new IllegalStateException("broken");
        };

    assertThatExceptionOfType(IllegalStateException.class).isThrownBy(this::listMovies);
    assertThat(store.pending()).isZero();
  }

  @Test
  void wakesAFetchThatWaitsAsSoonAsEverybodyHasAnswered() throws Exception {
    present(UCD);
    var id = listMovies();
    var fetch =
        CompletableFuture.supplyAsync(
            () -> operations.fetch(id, ALL_MOVIES, Duration.ofHours(1)),
            Thread::startVirtualThread);

    receive(id, moviesOf(UCD));

    // The clock of this test stands still: only the answer can end the wait before the deadline.
    assertThat(fetch.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isPresent();
  }

  @Test
  void waitsNoLongerThanTheClientWants() {
    present(UCD);
    var id = listMovies();

    assertThat(operations.fetch(id, ALL_MOVIES, Duration.ofMillis(1))).isEmpty();
  }

  private Reception receive(CorrelationId id, Response response) {
    return operations.receive(id, response, BODY);
  }

  private CorrelationId answered() {
    var id = listMovies();
    receive(id, moviesOf(UCD));
    return id;
  }

  private CorrelationId listMovies() {
    return operations.start(ALL_MOVIES, new ListMovies());
  }

  private CorrelationId makeReservation(ReservationRequest reservation) {
    return operations.start(AT_UCD, new MakeReservation(reservation));
  }

  private static List<Cinema> cinemasIn(Optional<Answer<MoviesListed>> answer) {
    return answer.orElseThrow().responses().stream().map(MoviesListed::catalogue).toList();
  }

  private static Answer<MoviesListed> movies(List<CinemaName> there, List<CinemaName> missing) {
    return new Answer<>(there.stream().map(Examples::moviesOf).toList(), missing);
  }

  private static <A extends Response> Answer<A> answer(A response) {
    return new Answer<>(List.of(response), List.of());
  }

  private Optional<Answer<MoviesListed>> fetch(CorrelationId id) {
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
