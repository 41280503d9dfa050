package testbed.broker.web;

import static org.assertj.core.api.Assertions.assertThat;
import static testbed.broker.Examples.CINEWORLD;
import static testbed.broker.Examples.DUNDRUM;
import static testbed.broker.Examples.UCD;
import static testbed.broker.Examples.made;
import static testbed.broker.Examples.moviesOf;
import static testbed.broker.Examples.reservationFor;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.availability.ApplicationAvailabilityAutoConfiguration;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import testbed.broker.BrokerSettings;
import testbed.broker.operation.Client;
import testbed.broker.operation.CorrelationId;
import testbed.broker.operation.Correlations;
import testbed.broker.operation.Correlations.Limits;
import testbed.broker.operation.Operation;
import testbed.broker.operation.Operations;
import testbed.broker.operation.Origin;
import testbed.broker.operation.RequestChannel;
import testbed.broker.operation.RequestChannel.Delivery;
import testbed.cinemas.KnownCinemas;
import testbed.contracts.IdempotencyKey;
import testbed.contracts.Page;
import testbed.contracts.ProblemType;
import testbed.contracts.ReservationPage;
import testbed.contracts.message.CinemaMessage.ListReservations;
import testbed.contracts.message.CinemaMessage.ListReservations.ReservationsListed;
import testbed.contracts.message.CinemaMessage.MakeReservation;
import testbed.contracts.message.CinemaMessage.MakeReservation.ReservationMade;
import testbed.contracts.message.CinemaMessage.Question;
import testbed.contracts.message.CinemaMessage.RequestRejected;
import testbed.contracts.message.CinemaMessage.Response;
import testbed.support.json.StrictJson;
import testbed.support.testing.SeenAnswer;
import testbed.support.web.ServletEdge;

/** The HTTP contract, with the real core behind it and a scripted way to the cinemas. */
@WebMvcTest({MovieController.class, ReservationController.class})
@Import({HttpEdgeTest.Core.class, RequestReply.class})
@ImportAutoConfiguration({
  ApplicationAvailabilityAutoConfiguration.class,
  StrictJson.class,
  ServletEdge.class
})
class HttpEdgeTest {

  private static final String MOVIES = "/api/movie/list";
  private static final String MAKE = "/api/cinema/ucd/reservation/make";
  private static final String RESERVATIONS = "/api/cinema/ucd/reservation/list";
  private static final String JANES_RESERVATION =
      """
      {"clientName":"Jane","clientEmail":"jane.doe@ucd.ie","movieId":"M1","date":"2022-04-15",\
      "showTime":"11:00","tickets":2,"ticketType":"Gold","amount":29.90}""";

  @Autowired MockMvcTester http;
  @Autowired KnownCinemas cinemas;
  @Autowired Operations operations;
  @Autowired Script script;
  @Autowired ApplicationContext broker;

  @BeforeEach
  void onlyUcdIsThere() {
    // What earlier tests have left behind is forgotten by now.
    script.pass(Duration.ofHours(2));
    script.requests.clear();
    script.delivery = Delivery.CONFIRMED;
    script.cinemas = id -> {};
    cinemas.seen(UCD);
  }

  @Test
  void acknowledgesAListRequestWithTheIdAndTheLocationOfItsAnswer() throws Exception {
    var acknowledged = http.get().uri(MOVIES).exchange();

    var id = acknowledged.getResponse().getContentAsString();
    assertThat(UUID.fromString(id).version()).isEqualTo(7);
    assertThat(acknowledged)
        .hasStatus(202)
        .hasContentTypeCompatibleWith(MediaType.TEXT_PLAIN)
        .hasHeader(HttpHeaders.LOCATION, MOVIES + "/" + id);
  }

  @Test
  void acknowledgesInPlainTextWhateverTheClientAccepts() {
    assertThat(http.get().uri(MOVIES).accept(MediaType.APPLICATION_JSON)).hasStatus(202);
  }

  @Test
  void answersPendingWithAHintWhenToTryAgain() {
    assertThat(http.get().uri(start(MOVIES)).exchange())
        .hasStatus(202)
        .hasHeader(HttpHeaders.RETRY_AFTER, "1")
        .doesNotContainHeader("Preference-Applied")
        .bodyText()
        .isEmpty();
  }

  @Test
  void answersTheMoviesInTheContractsFormat() {
    var location = start(MOVIES);
    receive(location, moviesOf(UCD));

    assertThat(http.get().uri(location).exchange())
        .hasStatusOk()
        .hasContentType(MediaType.APPLICATION_JSON)
        .doesNotContainHeader("Cinemas-Missing")
        .bodyText()
        .isEqualTo(
            """
            [{"id":"%s","cinemaName":"ucd","movies":[{"id":"M1","name":"The Godfather",\
            "showTimes":["11:00"]}]}]"""
                .formatted(UCD.id()));
  }

  @Test
  void closesTheConnectionAfterTheAnswerAndNotBeforeWhenItIsAboutToEnd() {
    var location = start(MOVIES);
    receive(location, moviesOf(UCD));
    assertThat(http.get().uri(location).exchange()).doesNotContainHeader(HttpHeaders.CONNECTION);

    AvailabilityChangeEvent.publish(broker, ReadinessState.REFUSING_TRAFFIC);
    try {
      assertThat(http.get().uri(MOVIES).exchange())
          .hasStatus(202)
          .doesNotContainHeader(HttpHeaders.CONNECTION);
      assertThat(http.get().uri(location).exchange())
          .hasStatusOk()
          .hasHeader(HttpHeaders.CONNECTION, "close");
    } finally {
      AvailabilityChangeEvent.publish(broker, ReadinessState.ACCEPTING_TRAFFIC);
    }
  }

  @Test
  void namesTheMissingCinemasSortedByName() {
    cinemas.seen(DUNDRUM);
    cinemas.seen(CINEWORLD);
    script.pass(Duration.ofSeconds(4));
    cinemas.seen(UCD);
    var location = start(MOVIES);
    receive(location, moviesOf(UCD));

    assertThat(http.get().uri(location).exchange())
        .hasStatusOk()
        .hasHeader("Cinemas-Missing", "cineworld, dundrum");
  }

  @Test
  void answersNoAnswerAfterTheDeadline() {
    var location = start(MOVIES);
    script.pass(Duration.ofSeconds(5));

    assertProblem(http.get().uri(location).exchange(), 504, ProblemType.NO_ANSWER);
  }

  @Test
  void appliesAWaitAndSaysSo() {
    var location = start(MOVIES);
    receive(location, moviesOf(UCD));

    assertThat(http.get().uri(location).header("Prefer", "wait=10").exchange())
        .hasStatusOk()
        .hasHeader("Preference-Applied", "wait=10");
    assertThat(http.get().uri(location).header("Prefer", "respond-async", "wait=99").exchange())
        .hasHeader("Preference-Applied", "wait=30");
    assertThat(http.get().uri(location).header("Prefer", "wait=soon").exchange())
        .hasStatusOk()
        .doesNotContainHeader("Preference-Applied");
  }

  @Test
  void answersTheRequestItselfIfItsClientWaits() {
    script.cinemas = id -> operations.receive(id, moviesOf(UCD), 1_000);

    var answer = http.get().uri(MOVIES).header("Prefer", "wait=10").exchange();

    assertThat(answer)
        .hasStatusOk()
        .hasContentType(MediaType.APPLICATION_JSON)
        .hasHeader("Preference-Applied", "wait=10");
    var location = answer.getResponse().getHeader(HttpHeaders.LOCATION);
    assertThat(location).startsWith(MOVIES + "/");
    assertThat(answer).bodyText().isEqualTo(bodyOf(http.get().uri(location).exchange()));
  }

  @Test
  void answersTheReservationsRequestIfItsClientWaits() {
    var made = made(UUID.randomUUID(), reservationFor("Jane"));
    script.cinemas = id -> operations.receive(id, new ReservationMade(UCD, made), 1_000);

    for (var accepted : List.of(MediaType.ALL_VALUE, "application/json, */*")) {
      var answer = makeAndWait("wait=10", accepted);
      assertThat(answer).hasStatusOk().hasHeader("Preference-Applied", "wait=10");
      assertThat(answer).bodyJson().extractingPath("$.id").isEqualTo(made.id().toString());
    }
  }

  @Test
  void acknowledgesARequestWhoseAnswerIsNotThereInTime() {
    var answer = makeAndWait("wait=0", MediaType.ALL_VALUE);

    assertThat(answer).hasStatus(202).hasHeader("Preference-Applied", "wait=0");
    assertThat(bodyOf(answer))
        .isEqualTo(idIn(answer.getResponse().getHeader(HttpHeaders.LOCATION)).toString());
  }

  @Test
  void answersTheCinemasProblemIfTheClientWaits() {
    script.cinemas =
        id ->
            operations.receive(
                id, new RequestRejected(UCD, ProblemType.SHOWING_UNKNOWN, "not at 18:01"), 1_000);

    assertProblem(makeAndWait("wait=10", MediaType.ALL_VALUE), 422, ProblemType.SHOWING_UNKNOWN);
  }

  private MvcTestResult makeAndWait(String preference, String accepted) {
    return http.post()
        .uri(MAKE)
        .header("Prefer", preference)
        .header(HttpHeaders.ACCEPT, accepted)
        .contentType(MediaType.APPLICATION_JSON)
        .content(JANES_RESERVATION)
        .exchange();
  }

  private static String bodyOf(MvcTestResult answer) {
    return new String(answer.getResponse().getContentAsByteArray(), StandardCharsets.UTF_8);
  }

  @Test
  void answersAtOnceWhenTheWaitIsZero() {
    assertThat(http.get().uri(start(MOVIES)).header("Prefer", "wait=0").exchange())
        .hasStatus(202)
        .hasHeader("Preference-Applied", "wait=0");
  }

  @Test
  void answersTheReservationAsOftenAsItIsFetched() {
    var location = start(make(JANES_RESERVATION));
    assertThat(location).startsWith(MAKE + "/");
    var id = idIn(location);
    receive(location, new ReservationMade(UCD, made(id.value(), reservationFor("Jane"))));

    for (int time = 0; time < 2; time++) {
      assertThat(http.get().uri(location).exchange())
          .hasStatusOk()
          .bodyText()
          .isEqualTo("{\"id\":\"%s\",%s".formatted(id, JANES_RESERVATION.substring(1)));
    }
  }

  /** A list of media types does not go the short way: see {@link testbed.support.web.ShortWay}. */
  @Test
  void answersOrdinaryRequestsAsTheDispatcherDoes() throws Exception {
    var dispatched = request(MediaType.APPLICATION_JSON, MediaType.ALL);
    var ordinary = request(MediaType.ALL);
    assertThat(dispatched.getMvcResult().getHandler()).isNotNull();
    assertThat(ordinary.getMvcResult().getHandler()).isNull();
    assertThat(seen(ordinary)).isEqualTo(seen(dispatched));

    var location = ordinary.getResponse().getHeader(HttpHeaders.LOCATION);
    assertThat(seen(fetch(location)))
        .isEqualTo(seen(fetch(location, MediaType.APPLICATION_JSON, MediaType.ALL)));
    var id = idIn(location);
    receive(location, new ReservationMade(UCD, made(id.value(), reservationFor("Jane"))));
    assertThat(fetch(location).getMvcResult().getHandler()).isNull();
    assertThat(fetch(location)).hasStatusOk();
    assertThat(seen(fetch(location)))
        .isEqualTo(seen(fetch(location, MediaType.APPLICATION_JSON, MediaType.ALL)));
    script.pass(Duration.ofMinutes(2));
    assertThat(fetch(location)).hasStatus(410);
    assertThat(seen(fetch(location)))
        .isEqualTo(seen(fetch(location, MediaType.APPLICATION_JSON, MediaType.ALL)));
  }

  @Test
  void answersOrdinaryListsAsTheDispatcherDoes() throws Exception {
    var dispatched = fetch(MOVIES, MediaType.APPLICATION_JSON, MediaType.ALL);
    var ordinary = fetch(MOVIES);
    assertThat(dispatched.getMvcResult().getHandler()).isNotNull();
    assertThat(ordinary.getMvcResult().getHandler()).isNull();
    assertThat(seen(ordinary)).isEqualTo(seen(dispatched));

    var location = ordinary.getResponse().getHeader(HttpHeaders.LOCATION);
    receive(location, moviesOf(UCD));
    assertThat(fetch(location).getMvcResult().getHandler()).isNull();
    assertThat(fetch(location)).hasStatusOk();
    assertThat(seen(fetch(location)))
        .isEqualTo(seen(fetch(location, MediaType.APPLICATION_JSON, MediaType.ALL)));
  }

  private MvcTestResult request(MediaType... accepted) {
    return http.post()
        .uri(MAKE)
        .accept(accepted)
        .contentType(MediaType.APPLICATION_JSON)
        .content(JANES_RESERVATION)
        .exchange();
  }

  private MvcTestResult fetch(String location, MediaType... accepted) {
    var fetch = http.get().uri(location).header("Prefer", "wait=0");
    return (accepted.length == 0 ? fetch : fetch.accept(accepted)).exchange();
  }

  private static Map<String, Object> seen(MvcTestResult answer) throws Exception {
    return SeenAnswer.withoutIds(answer.getResponse());
  }

  @Test
  void handsTheClientsKeyOn() {
    for (var key : List.of("one", "\"one\"")) {
      http.post()
          .uri(MAKE)
          .header("Idempotency-Key", key)
          .contentType(MediaType.APPLICATION_JSON)
          .content(JANES_RESERVATION)
          .exchange();
    }
    make(JANES_RESERVATION);

    assertThat(script.requests)
        .extracting(request -> ((MakeReservation) request).key())
        .containsExactly(new IdempotencyKey("one"), new IdempotencyKey("one"), null);
  }

  @Test
  void answersTheCinemasProblem() {
    var location = start(make(JANES_RESERVATION));
    receive(location, new RequestRejected(UCD, ProblemType.SHOWING_UNKNOWN, "not at 18:01"));

    var answer = http.get().uri(location).exchange();

    assertProblem(answer, 422, ProblemType.SHOWING_UNKNOWN);
    assertThat(answer).bodyJson().extractingPath("$.detail").isEqualTo("not at 18:01");
  }

  @Test
  void answersTheReservationsOfOneCinema() {
    var location = start(http.get().uri(RESERVATIONS).exchange());
    var reservation = made(UUID.randomUUID(), reservationFor("Jane"));
    var page = new ReservationPage(List.of(reservation), Page.FIRST, 1);
    receive(location, new ReservationsListed(UCD, page));

    assertThat(script.requests).containsExactly(new ListReservations(Page.FIRST));
    assertThat(http.get().uri(location).exchange())
        .hasStatusOk()
        .hasHeader("Total-Count", "1")
        .doesNotContainHeader("Link")
        .bodyJson()
        .extractingPath("$[0].id")
        .isEqualTo(reservation.id().toString());
  }

  @Test
  void saysWhereTheNextPageIs() {
    var location = start(http.get().uri(RESERVATIONS + "?page=2&size=3").exchange());
    var wanted = new Page(2, 3);
    assertThat(script.requests).containsExactly(new ListReservations(wanted));
    receive(location, new ReservationsListed(UCD, new ReservationPage(List.of(), wanted, 10)));

    assertThat(http.get().uri(location).exchange())
        .hasStatusOk()
        .hasHeader("Total-Count", "10")
        .hasHeader("Link", "<%s?page=3&size=3>; rel=\"next\"".formatted(RESERVATIONS));
  }

  @ParameterizedTest
  @ValueSource(strings = {"page=-1", "page=1000001", "page=x", "page=", "page=1&page=2"})
  void asksForNoPageThatCannotBe(String parameters) {
    var answer = http.get().uri(URI.create(RESERVATIONS + "?" + parameters)).exchange();

    assertProblem(answer, 400, ProblemType.INVALID_REQUEST);
    assertThat(answer).bodyJson().extractingPath("$.errors[0].field").isEqualTo("page");
    assertThat(script.requests).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "[]",
        "{}",
        "{\"tickets\":0}",
        "{\"tickets\":10000}",
        "{\"tickets\":\"2\"}",
        "{\"tickets\":1.5}",
        "{\"amount\":-1}",
        "{\"amount\":1.005}",
        "{\"clientEmail\":\"nobody\"}",
        "{\"showTime\":\"6pm\"}",
        "{\"date\":\"15.04.2022\"}",
        "{\"movieId\":\"\"}",
        "{\"surprise\":1}",
        "{\"clientName\":\"Jane\\u0000\"}"
      })
  void publishesNothingThatIsInvalid(String change) {
    var body = change.startsWith("{\"") ? changed(change) : change;

    assertProblem(make(body), 400, ProblemType.INVALID_REQUEST);
    assertThat(script.requests).isEmpty();
  }

  @Test
  void namesTheInvalidFields() {
    assertThat(make(changed("{\"tickets\":21}")))
        .bodyJson()
        .extractingPath("$.errors[0].field")
        .isEqualTo("tickets");
  }

  @Test
  void refusesABodyThatIsTooLarge() {
    var body = changed("{\"clientName\":\"%s\"}".formatted("J".repeat(1_000_000)));

    assertProblem(make(body), 413, ProblemType.TOO_LARGE);
    assertThat(script.requests).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"nowhere", "UCD", "request.to.%23"})
  void knowsNoSuchCinema(String cinema) {
    script.delivery = Delivery.REFUSED;
    var path = MAKE.replace("ucd", cinema);

    var answer =
        http.post()
            .uri(URI.create(path))
            .contentType(MediaType.APPLICATION_JSON)
            .content(JANES_RESERVATION)
            .exchange();

    assertProblem(answer, 404, ProblemType.CINEMA_UNKNOWN);
  }

  @ParameterizedTest
  @CsvSource({"REFUSED", "UNCONFIRMED"})
  void givesNoIdAwayForWhatIsNotConfirmed(Delivery delivery) {
    script.delivery = delivery;

    assertProblem(http.get().uri(MOVIES).exchange(), 503, ProblemType.UNAVAILABLE);
    assertProblem(make(JANES_RESERVATION), 503, ProblemType.UNAVAILABLE);
  }

  @Test
  void saysThatAReservationMayBeMade() {
    script.delivery = Delivery.UNKNOWN;

    assertProblem(make(JANES_RESERVATION), 504, ProblemType.TIME_LIMIT);
  }

  @Test
  void saysWhenARequestIsWorthAnotherTry() {
    script.delivery = Delivery.UNCONFIRMED;

    assertThat(make(JANES_RESERVATION)).hasStatus(503).hasHeader(HttpHeaders.RETRY_AFTER, "1");
  }

  @Test
  void refusesRequestsWhileItsStoreIsFull() {
    for (int pending = 0; pending < 100; pending++) {
      start(MOVIES);
    }

    var refused = http.get().uri(MOVIES).exchange();

    assertProblem(refused, 503, ProblemType.UNAVAILABLE);
    assertThat(refused).hasHeader(HttpHeaders.RETRY_AFTER, "1");
  }

  @Test
  void answersGoneSomeTimeAfterTheFirstFetch() {
    var location = start(MOVIES);
    receive(location, moviesOf(UCD));
    assertThat(http.get().uri(location)).hasStatusOk();

    script.pass(Duration.ofSeconds(20));

    assertProblem(http.get().uri(location).exchange(), 410, ProblemType.CORRELATION_EXPIRED);
  }

  @Test
  void tellsMalformedUnknownAndExpiredIdsApart() {
    var location = start(MOVIES);
    receive(location, moviesOf(UCD));
    script.pass(Duration.ofSeconds(60));

    assertProblem(http.get().uri(location).exchange(), 410, ProblemType.CORRELATION_EXPIRED);
    assertProblem(
        http.get().uri(MOVIES + "/" + UUID.randomUUID()).exchange(),
        404,
        ProblemType.CORRELATION_UNKNOWN);
    assertProblem(
        http.get().uri(MOVIES + "/1-1-1-1-1").exchange(), 400, ProblemType.INVALID_REQUEST);
  }

  @Test
  void findsNoAnswerUnderThePathOfAnotherOperation() {
    var id = idIn(start(make(JANES_RESERVATION)));

    for (var path : List.of(MOVIES, RESERVATIONS, MAKE.replace("ucd", "dundrum"))) {
      assertProblem(
          http.get().uri(path + "/" + id).exchange(), 404, ProblemType.CORRELATION_UNKNOWN);
    }
  }

  @Test
  void answersOtherPathsAndMethodsWithProblems() {
    assertProblem(http.get().uri("/api/nothing").exchange(), 404, ProblemType.NOT_FOUND);
    assertProblem(http.post().uri(MOVIES).exchange(), 405, ProblemType.METHOD_NOT_ALLOWED);
  }

  private static void assertProblem(MvcTestResult answer, int status, ProblemType type) {
    assertThat(answer).hasStatus(status).hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
    assertThat(answer).bodyJson().extractingPath("$.type").isEqualTo(type.uri().toString());
    assertThat(answer).bodyJson().extractingPath("$.status").isEqualTo(status);
  }

  private String start(String path) {
    return start(http.get().uri(path).exchange());
  }

  private static String start(MvcTestResult acknowledged) {
    assertThat(acknowledged).hasStatus(202);
    return acknowledged.getResponse().getHeader(HttpHeaders.LOCATION);
  }

  private MvcTestResult make(String body) {
    return http.post().uri(MAKE).contentType(MediaType.APPLICATION_JSON).content(body).exchange();
  }

  private void receive(String location, Response response) {
    operations.receive(idIn(location), response, 1_000);
  }

  private static CorrelationId idIn(String location) {
    return CorrelationId.valueOf(location.substring(location.lastIndexOf('/') + 1));
  }

  /** Jane's reservation with one field changed or added. */
  private static String changed(String change) {
    var field = change.substring(1, change.indexOf(':'));
    var others =
        JANES_RESERVATION.replaceFirst(field + ":(\"[^\"]*\"|[^,}]*)", "").replace("{,", "{");
    return (change.substring(0, change.length() - 1) + "," + others.substring(1))
        .replace(",,", ",")
        .replace(",}", "}");
  }

  static class Script implements RequestChannel {

    final List<Question<?>> requests = new ArrayList<>();
    final AtomicLong nanos = new AtomicLong();
    Delivery delivery = Delivery.CONFIRMED;

    /** What answers at once; nobody by default. */
    Consumer<CorrelationId> cinemas = id -> {};

    @Override
    public Delivery send(
        CorrelationId id,
        Operation<?> operation,
        Question<?> request,
        CompletionStage<?> answered) {
      requests.add(request);
      cinemas.accept(id);
      return delivery;
    }

    void pass(Duration time) {
      nanos.addAndGet(time.toNanos());
    }

    Instant now() {
      return Instant.parse("2026-11-21T10:00:00Z").plusNanos(nanos.get());
    }
  }

  @TestConfiguration(proxyBeanMethods = false)
  @EnableConfigurationProperties(BrokerSettings.class)
  static class Core {

    @Bean
    Script script() {
      return new Script();
    }

    @Bean
    KnownCinemas cinemas(Script script) {
      return new KnownCinemas(Duration.ofSeconds(3), Duration.ofHours(1), script::now);
    }

    @Bean
    Operations operations(Script script, KnownCinemas cinemas) {
      InstantSource clock = script::now;
      var store =
          new Correlations(
              new Limits(
                  100,
                  1_000_000,
                  Duration.ofSeconds(5),
                  Duration.ofSeconds(60),
                  Duration.ofSeconds(20)),
              clock,
              script.nanos::get);
      return new Operations(store, cinemas, script, () -> Client.ANONYMOUS, () -> Origin.UNTRACED);
    }
  }
}
