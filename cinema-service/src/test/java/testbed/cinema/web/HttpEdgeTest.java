package testbed.cinema.web;

import static org.assertj.core.api.Assertions.assertThat;
import static testbed.cinema.Examples.JANES_RESERVATION;

import java.net.URI;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.context.annotation.Import;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import testbed.cinema.InMemoryDatabase;
import testbed.contracts.ProblemType;
import testbed.support.testing.SeenAnswer;

@SpringBootTest(
    properties = {"cinema.name=cineworld", "cinema.transport=http", "eureka.client.enabled=false"})
@AutoConfigureMockMvc
@Import(InMemoryDatabase.class)
class HttpEdgeTest {

  @Autowired MockMvcTester http;
  @Autowired MongoOperations database;

  @BeforeEach
  void noReservations() {
    database.remove(new Query(), "reservations");
  }

  @Test
  void listsTheCinemaWithItsMovies() {
    var answer = http.get().uri("/cinema/cineworld/movie/list").exchange();

    assertThat(answer).hasStatusOk().bodyJson().extractingPath("$.movies.length()").isEqualTo(3);
    assertThat(answer).bodyJson().extractingPath("$.cinemaName").isEqualTo("cineworld");
  }

  @Test
  void findsAShowing() {
    assertThat(find("The Godfather", "15:00"))
        .hasStatusOk()
        .bodyJson()
        .extractingPath("$.id")
        .isEqualTo("CNW002");
  }

  @Test
  void answersNotFoundForAShowingThatIsNone() {
    assertProblem(find("The Godfather", "15:30"), 404, ProblemType.SHOWING_UNKNOWN);
  }

  @Test
  void createsAReservationThatCanBeReadAtItsLocation() {
    var made = make(JANES_RESERVATION);

    assertThat(made).hasStatus(201).bodyJson().isLenientlyEqualTo(JANES_RESERVATION);
    var location = made.getResponse().getHeader(HttpHeaders.LOCATION);
    assertThat(location).startsWith("/cinema/cineworld/reservation/");
    assertThat(http.get().uri(location).exchange())
        .hasStatusOk()
        .bodyJson()
        .isLenientlyEqualTo(JANES_RESERVATION);
    assertThat(list()).bodyJson().extractingPath("$.length()").isEqualTo(1);
  }

  /** A list of media types does not go the short way: see {@link testbed.support.web.ShortWay}. */
  @Test
  void answersOrdinaryRequestsAsTheDispatcherDoes() throws Exception {
    var dispatched = make(JANES_RESERVATION, MediaType.APPLICATION_JSON, MediaType.ALL);
    var ordinary = make(JANES_RESERVATION, MediaType.ALL);

    assertThat(ordinary.getMvcResult().getHandler()).isNull();
    assertThat(dispatched.getMvcResult().getHandler()).isNotNull();
    assertThat(seen(ordinary)).isEqualTo(seen(dispatched));
  }

  @Test
  void answersOrdinaryListsAsTheDispatcherDoes() throws Exception {
    var dispatched = movies(MediaType.APPLICATION_JSON, MediaType.ALL);
    var ordinary = movies(MediaType.ALL);

    assertThat(ordinary.getMvcResult().getHandler()).isNull();
    assertThat(dispatched.getMvcResult().getHandler()).isNotNull();
    assertThat(seen(ordinary)).isEqualTo(seen(dispatched));
  }

  private MvcTestResult movies(MediaType... accepted) {
    return http.get().uri("/cinema/cineworld/movie/list").accept(accepted).exchange();
  }

  @ParameterizedTest
  @CsvSource({"CNW009, MOVIE_UNKNOWN", "CNW001, SHOWING_UNKNOWN"})
  void refusesOrdinaryRequestsAsTheDispatcherDoes(String movie, ProblemType type) throws Exception {
    var body = JANES_RESERVATION.replace("CNW001", movie).replace("18:00", "18:30");
    var dispatched = make(body, MediaType.APPLICATION_JSON, MediaType.ALL);
    var ordinary = make(body, MediaType.ALL);

    assertProblem(ordinary, 422, type);
    assertThat(seen(ordinary)).isEqualTo(seen(dispatched));
  }

  private MvcTestResult make(String body, MediaType... accepted) {
    return http.post()
        .uri("/cinema/cineworld/reservation/make")
        .accept(accepted)
        .contentType(MediaType.APPLICATION_JSON)
        .content(body)
        .exchange();
  }

  private static Map<String, Object> seen(MvcTestResult answer) throws Exception {
    return SeenAnswer.withoutIds(answer.getResponse());
  }

  @Test
  void createsOneReservationForAKey() {
    var first = make(JANES_RESERVATION, "\"one\"");
    var again = make(JANES_RESERVATION, "one");

    assertThat(first).hasStatus(201);
    assertThat(again)
        .hasStatus(201)
        .hasHeader(HttpHeaders.LOCATION, first.getResponse().getHeader(HttpHeaders.LOCATION));
    assertThat(list()).bodyJson().extractingPath("$.length()").isEqualTo(1);
  }

  @Test
  void refusesAnotherReservationForTheSameKey() {
    make(JANES_RESERVATION, "one");

    assertProblem(
        make(JANES_RESERVATION.replace("Jane", "John"), "one"),
        422,
        ProblemType.IDEMPOTENCY_KEY_REUSED);
    assertThat(list()).bodyJson().extractingPath("$.length()").isEqualTo(1);
  }

  @Test
  void refusesAKeyThatIsNone() {
    assertProblem(make(JANES_RESERVATION, "a b"), 400, ProblemType.INVALID_REQUEST);
    assertNothingStored();
  }

  @Test
  void listsReservationsPageByPage() {
    for (int i = 0; i < 3; i++) {
      make(JANES_RESERVATION);
    }

    var first = http.get().uri("/cinema/cineworld/reservation/list?size=2").exchange();
    assertThat(first)
        .hasStatusOk()
        .hasHeader("Total-Count", "3")
        .hasHeader("Link", "</cinema/cineworld/reservation/list?page=1&size=2>; rel=\"next\"")
        .bodyJson()
        .extractingPath("$.length()")
        .isEqualTo(2);
    var second = http.get().uri("/cinema/cineworld/reservation/list?page=1&size=2").exchange();
    assertThat(second)
        .hasStatusOk()
        .doesNotContainHeader("Link")
        .bodyJson()
        .extractingPath("$.length()")
        .isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"size=0", "size=201", "size=-1", "size=99999999999", "size=1.0", "size=+1"})
  void hasNoPageOfAnImpossibleSize(String parameters) {
    var answer =
        http.get().uri(URI.create("/cinema/cineworld/reservation/list?" + parameters)).exchange();

    assertProblem(answer, 400, ProblemType.INVALID_REQUEST);
    assertThat(answer).bodyJson().extractingPath("$.errors[0].field").isEqualTo("size");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "[]",
        "null",
        "\"text\"",
        "{}",
        "{\"clientName\": \"Jane Doe\"}",
      })
  void refusesBodiesThatAreNoReservation(String body) {
    assertProblem(make(body), 400, ProblemType.INVALID_REQUEST);
    assertNothingStored();
  }

  static Stream<Arguments> invalidFields() {
    return Stream.of(
        Arguments.of("tickets", "\"tickets\": 2", "\"tickets\": 0"),
        Arguments.of("tickets", "\"tickets\": 2", "\"tickets\": -1"),
        Arguments.of("tickets", "\"tickets\": 2", "\"tickets\": 21"),
        Arguments.of("tickets", "\"tickets\": 2", "\"tickets\": 10000"),
        Arguments.of("tickets", "\"tickets\": 2", "\"tickets\": 99999999999"),
        Arguments.of("tickets", "\"tickets\": 2", "\"tickets\": 2.5"),
        Arguments.of("tickets", "\"tickets\": 2", "\"tickets\": \"2\""),
        Arguments.of("tickets", "\"tickets\": 2", "\"tickets\": null"),
        Arguments.of("tickets", "\"tickets\": 2", "\"tickets\": true"),
        Arguments.of("amount", "30.00", "-0.01"),
        Arguments.of("amount", "30.00", "0.001"),
        Arguments.of("amount", "30.00", "\"30.00\""),
        Arguments.of("amount", "30.00", "1e999999999"),
        Arguments.of("clientEmail", "jane.doe@ucd.ie", "jane.doe"),
        Arguments.of("clientName", "Jane Doe", " "),
        Arguments.of("clientName", "\"Jane Doe\"", "5"),
        Arguments.of("clientName", "Jane Doe", "x".repeat(201)),
        Arguments.of("clientName", "Jane Doe", "Jane\\u0000Doe"),
        Arguments.of("clientName", "Jane Doe", "Jane\\nDoe"),
        Arguments.of("clientName", "Jane Doe", "Jane\\u0085Doe"),
        Arguments.of("clientName", "Jane Doe", "Jane\\ud800"),
        Arguments.of("clientEmail", "jane.doe@", "\\\"jane\\u0000\\\"@"),
        Arguments.of("ticketType", "Gold", "Go\\u007fld"),
        Arguments.of("movieId", "CNW001", "CNW\\u0000"),
        Arguments.of("date", "2022-04-15", "2022-02-30"),
        Arguments.of("date", "2022-04-15", "15.04.2022"),
        Arguments.of("date", "\"2022-04-15\"", "20220415"),
        Arguments.of("date", "2022-04-15", "2022-04-15T18:00:00Z"),
        Arguments.of("date", "\"2022-04-15\"", "[2022, 4, 15]"),
        Arguments.of("showTime", "18:00", "6pm"),
        Arguments.of("movieId", "CNW001", ""),
        Arguments.of("ticketKind", "\"ticketType\"", "\"ticketKind\""));
  }

  @ParameterizedTest
  @MethodSource("invalidFields")
  void namesTheFieldThatIsNotValid(String field, String valid, String invalid) {
    var answer = make(JANES_RESERVATION.replace(valid, invalid));

    assertProblem(answer, 400, ProblemType.INVALID_REQUEST);
    assertThat(answer).bodyJson().extractingPath("$.errors[0].field").isEqualTo(field);
    assertNothingStored();
  }

  @Test
  void refusesAFieldThatIsNamedTwice() {
    var twice = JANES_RESERVATION.replace("\"tickets\": 2", "\"tickets\": 2, \"tickets\": 3");

    var answer = make(twice);

    assertProblem(answer, 400, ProblemType.INVALID_REQUEST);
    assertThat(answer).bodyJson().extractingPath("$.detail").asString().contains("twice");
    assertNothingStored();
  }

  @Test
  void acceptsEveryLetter() {
    assertThat(make(JANES_RESERVATION.replace("Jane Doe", "Ólafur \\ud83c\\udfac 映画")))
        .hasStatus(201);
  }

  @Test
  void refusesAnUnknownMovie() {
    var answer = make(JANES_RESERVATION.replace("CNW001", "MAD001"));

    assertProblem(answer, 422, ProblemType.MOVIE_UNKNOWN);
    assertNothingStored();
  }

  @Test
  void refusesAnUnknownShowTime() {
    var answer = make(JANES_RESERVATION.replace("18:00", "18:01"));

    assertProblem(answer, 422, ProblemType.SHOWING_UNKNOWN);
    assertNothingStored();
  }

  @Test
  void countsTheCharactersOfANameAsItsDescriptionDoes() {
    var longest = "\uD83C\uDFA6".repeat(200);

    assertThat(make(JANES_RESERVATION.replace("Jane Doe", longest))).hasStatus(201);
    assertProblem(
        make(JANES_RESERVATION.replace("Jane Doe", longest + "x")),
        400,
        ProblemType.INVALID_REQUEST);
  }

  @Test
  void refusesABodyThatSaysItIsTooLarge() {
    var answer = make(JANES_RESERVATION.replace("Jane Doe", "x".repeat(1_000_000)));

    assertProblem(answer, 413, ProblemType.TOO_LARGE);
    assertNothingStored();
  }

  @Test
  void refusesABodyThatTurnsOutTooLarge() {
    var answer =
        http.post()
            .uri("/cinema/cineworld/reservation/make")
            .header("Transfer-Encoding", "chunked")
            .with(
                request -> {
                  request.setContentType(MediaType.APPLICATION_JSON_VALUE);
                  request.setContent(
                      JANES_RESERVATION.replace("Jane Doe", "x".repeat(1_000_000)).getBytes());
                  return new WithoutLength(request);
                })
            .exchange();

    assertProblem(answer, 413, ProblemType.TOO_LARGE);
    assertNothingStored();
  }

  @Test
  void answersOtherMistakesAsProblemsToo() {
    assertProblem(
        http.get().uri("/cinema/dundrum/movie/list").exchange(), 404, ProblemType.NOT_FOUND);
    assertProblem(
        http.delete().uri("/cinema/cineworld/movie/list").exchange(),
        405,
        ProblemType.METHOD_NOT_ALLOWED);
    assertProblem(
        http.post()
            .uri("/cinema/cineworld/reservation/make")
            .contentType(MediaType.TEXT_PLAIN)
            .content("two tickets, please")
            .exchange(),
        415,
        ProblemType.UNSUPPORTED_MEDIA_TYPE);
    assertProblem(
        http.get().uri("/cinema/cineworld/reservation/one").exchange(),
        400,
        ProblemType.INVALID_REQUEST);
    assertProblem(
        http.get()
            .uri("/cinema/cineworld/reservation/00000000-0000-4000-8000-000000000000")
            .exchange(),
        404,
        ProblemType.RESERVATION_UNKNOWN);
    assertProblem(
        http.get().uri("/cinema/cineworld/movie/delay/1").exchange(), 404, ProblemType.NOT_FOUND);
  }

  @Test
  void saysThatAReservationIsMadeByPostAlone() {
    var answer = http.get().uri("/cinema/cineworld/reservation/make").exchange();

    assertProblem(answer, 405, ProblemType.METHOD_NOT_ALLOWED);
    assertThat(answer).hasHeader(HttpHeaders.ALLOW, "POST");
  }

  private MvcTestResult make(String body) {
    return http.post()
        .uri("/cinema/cineworld/reservation/make")
        .contentType(MediaType.APPLICATION_JSON)
        .content(body)
        .exchange();
  }

  private MvcTestResult make(String body, String key) {
    return http.post()
        .uri("/cinema/cineworld/reservation/make")
        .header("Idempotency-Key", key)
        .contentType(MediaType.APPLICATION_JSON)
        .content(body)
        .exchange();
  }

  private MvcTestResult find(String name, String showTime) {
    return http.post()
        .uri("/cinema/cineworld/movie/find")
        .contentType(MediaType.APPLICATION_JSON)
        .content("{\"name\": \"%s\", \"showTime\": \"%s\"}".formatted(name, showTime))
        .exchange();
  }

  private MvcTestResult list() {
    return http.get().uri("/cinema/cineworld/reservation/list").exchange();
  }

  private void assertNothingStored() {
    assertThat(list()).hasStatusOk().bodyText().isEqualTo("[]");
  }

  private static void assertProblem(MvcTestResult answer, int status, ProblemType type) {
    assertThat(answer).hasStatus(status).hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
    assertThat(answer).bodyJson().extractingPath("$.type").isEqualTo(type.uri().toString());
    assertThat(answer).bodyJson().extractingPath("$.status").isEqualTo(status);
  }
}
