package testbed.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static testbed.support.testing.StandInServer.respond;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.web.reactive.server.WebTestClient.ResponseSpec;
import testbed.contracts.IdempotencyKey;
import testbed.contracts.ProblemType;
import testbed.support.testing.RawHttp;
import testbed.support.web.IdempotencyHeader;

@TestPropertySource(properties = "access.users=jane:hers, john:his")
class AccessTest extends RunningGateway {

  private static final String RESERVATIONS = "/cinema/savoy/reservation/";

  @BeforeEach
  void everythingAnswers() {
    service.answers(200, "application/json", "[]");
    registerAggregator();
    registerCinema("savoy");
    http = http.mutate().defaultHeaders(HttpHeaders::clear).build();
  }

  @Test
  void leavesMoviesToEverybody() {
    get("/openapi.yaml").expectStatus().isOk();
    get("/api/movie/list").expectStatus().isOk();
    get("/cinema/savoy/movie/list").expectStatus().isOk();
    post("/cinema/savoy/movie/find", BODY).expectStatus().isOk();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/cinema/savoy/reservation/list", "/cinema/savoy/reservation/1", "/", "/x"})
  void asksForAnAccount(String path) {
    expectProblem(get(path), ProblemType.ACCOUNT_REQUIRED, "An account is needed.")
        .jsonPath("$.instance")
        .isEqualTo(path);
    assertThat(service.requests()).isEmpty();
  }

  @Test
  void saysHowAnAccountIsTold() {
    post(RESERVATIONS + "make", BODY)
        .expectStatus()
        .isUnauthorized()
        .expectHeader()
        .valueEquals(HttpHeaders.WWW_AUTHENTICATE, "Basic realm=\"testbed\", charset=\"UTF-8\"");
  }

  @ParameterizedTest
  @CsvSource({"jane, his", "jane, hersx", "jane, her", "jane, ''", "nobody, hers", "admin, hers"})
  void knowsNoAccountByHalf(String name, String password) {
    assertThat(as(name, password, RESERVATIONS + "1")).isEqualTo(HttpStatus.UNAUTHORIZED);
    // Wrong credentials must not be ignored, even where none are needed.
    assertThat(as(name, password, "/api/movie/list")).isEqualTo(HttpStatus.UNAUTHORIZED);
  }

  @Test
  void letsUsersMakeReservationsAndReadThem() {
    http.post()
        .uri(RESERVATIONS + "make")
        .headers(headers -> headers.setBasicAuth("john", "his"))
        .contentType(MediaType.APPLICATION_JSON)
        .bodyValue(BODY)
        .exchange()
        .expectStatus()
        .isOk();
    assertThat(as("jane", "hers", RESERVATIONS + "1")).isEqualTo(HttpStatus.OK);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/cinema/savoy/reservation/list",
        "/cinema/savoy/reservation/%6Cist",
        "/cinema/savoy/reservation/list;a=b",
        "/cinema/savoy/reservation/list/",
        "/cinema/savoy//reservation/list",
        "/cinema/savoy/reservation/x/../list",
        "/cinema/savoy/movie/list/../../reservation/list",
        "/api/movie/../../cinema/savoy/reservation/list",
        "/cinema/savoy/movie/delay/1",
        "/cinema/savoy/reservation/delay/1",
        "/nothing"
      })
  void leavesTheRestToAdministratorsHoweverItIsWritten(String path) {
    var jane = RawHttp.answer(port, "GET %s HTTP/1.1".formatted(path), basic("jane", "hers"));
    var admin = RawHttp.answer(port, "GET %s HTTP/1.1".formatted(path), CREDENTIALS);

    assertThat(jane).startsWith("HTTP/1.1 403").contains(ProblemType.FORBIDDEN.uri().toString());
    assertThat(admin).doesNotStartWith("HTTP/1.1 403");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/actuator/../cinema/savoy/reservation/list",
        "/actuator/%2e%2e/cinema/savoy/reservation/list",
        "/cinema/savoy/movie/../reservation/list",
        "/openapi.yaml/../cinema/savoy/reservation/list"
      })
  void opensNothingByAWayAround(String path) {
    assertThat(RawHttp.answer(port, "GET %s HTTP/1.1".formatted(path))).startsWith("HTTP/1.1 4");
    assertThat(service.requests()).isEmpty();
  }

  @Test
  void keepsCredentialsFromTheServicesBehind() {
    var hasCredentials = new AtomicBoolean(true);
    service.does(
        request -> {
          hasCredentials.set(request.getRequestHeaders().containsKey(HttpHeaders.AUTHORIZATION));
          respond(request, 200, "application/json", "[]");
        });

    assertThat(as("jane", "hers", RESERVATIONS + "1")).isEqualTo(HttpStatus.OK);

    assertThat(hasCredentials).isFalse();
  }

  @Test
  void refusesBeforeTheBodyIsThere() {
    var answer =
        RawHttp.answerTo(
            port,
            "POST /cinema/savoy/reservation/make HTTP/1.1",
            "{\"tickets\":",
            "Content-Length: 60000\r\n",
            "Content-Type: application/json\r\n");

    assertThat(answer).startsWith("HTTP/1.1 401");
  }

  @Test
  void refusesALargeBodyWhoeverSendsIt() {
    post(RESERVATIONS + "make", "a".repeat(65 * 1024))
        .expectStatus()
        .isEqualTo(HttpStatus.CONTENT_TOO_LARGE);
  }

  @Test
  void tellsItsHealthWhateverTheAccount() {
    getManagement("/actuator/health/liveness").expectStatus().isOk();
    assertThat(as("jane", "wrong", "http://localhost:" + management + "/actuator/prometheus"))
        .isEqualTo(HttpStatus.OK);
  }

  @Test
  void letsNobodyGuessOrKeepWhatAnAnswerIs() {
    get("/cinema/savoy/movie/list")
        .expectHeader()
        .valueEquals("X-Content-Type-Options", "nosniff")
        .expectHeader()
        .valueMatches(HttpHeaders.CACHE_CONTROL, ".*no-store.*")
        .expectHeader()
        .doesNotExist(HttpHeaders.SET_COOKIE);
  }

  private HttpStatus as(String name, String password, String path) {
    ResponseSpec answer =
        http.get().uri(path).headers(headers -> headers.setBasicAuth(name, password)).exchange();
    var status = answer.expectBody().returnResult().getStatus();
    return HttpStatus.valueOf(status.value());
  }

  private static String basic(String name, String password) {
    return "Authorization: Basic %s\r\n"
        .formatted(HttpHeaders.encodeBasicAuth(name, password, null));
  }

  @Test
  void passesOnAnotherKeyForEachAccount() {
    var key = new IdempotencyKey("8e03978e-40d5");
    for (var written : List.of(key.value(), "\"%s\"".formatted(key))) {
      assertThat(passedOn("jane", "hers", written)).containsExactly(key.of("jane").value());
    }
    assertThat(passedOn("john", "his", key.value())).containsExactly(key.of("john").value());
    assertThat(passedOn("john", "his", "a,b")).containsExactly("a,b");
    assertThat(passedOn("john", "his", "a", "b")).containsExactly("a", "b");
  }

  private List<String> passedOn(String name, String password, String... keys) {
    var seen = new AtomicReference<List<String>>(List.of());
    service.does(
        request -> {
          seen.set(request.getRequestHeaders().get(IdempotencyHeader.NAME));
          respond(request, 200, "application/json", "{}");
        });
    http.post()
        .uri(RESERVATIONS + "make")
        .headers(headers -> headers.setBasicAuth(name, password))
        .header(IdempotencyHeader.NAME, keys)
        .contentType(MediaType.APPLICATION_JSON)
        .bodyValue(BODY)
        .exchange()
        .expectStatus()
        .isOk();
    return seen.get();
  }
}
