package testbed.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.verify;
import static testbed.broker.Examples.UCD;
import static testbed.broker.Examples.made;
import static testbed.broker.Examples.reservationFor;

import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.web.server.LocalManagementPort;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;
import org.springframework.web.client.RestClient;
import testbed.broker.operation.CorrelationId;
import testbed.broker.operation.Operation;
import testbed.broker.operation.Operations;
import testbed.broker.operation.RequestChannel;
import testbed.contracts.IdempotencyKey;
import testbed.contracts.ProblemType;
import testbed.contracts.message.CinemaMessage.MakeReservation;
import testbed.contracts.message.CinemaMessage.MakeReservation.ReservationMade;
import testbed.contracts.message.CinemaMessage.Question;
import testbed.support.handicap.Handicap;
import testbed.support.testing.RawHttp;
import tools.jackson.databind.json.JsonMapper;

/** Who may ask and fetch, with the whole broker and nobody behind it. */
@SpringBootTest(
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = {
      // Reserved: nothing answers there.
      "RABBITMQ_PORT=1",
      // A refused request's connection stays for the rest of its body, which two tests never send.
      "server.tomcat.connection-timeout=5s",
      "access.users=jane:hers, john:his",
      "access.administrators=admin:secret"
    })
@Import(AccessTest.TakesEveryRequest.class)
class AccessTest {

  private static final String MOVIES = "/api/movie/list";
  private static final String MAKE = "/api/cinema/ucd/reservation/make";
  private static final String RESERVATIONS = "/api/cinema/ucd/reservation/list";
  private static final Map<String, Object> RESERVATION =
      Map.of(
          "clientName", "Jane",
          "clientEmail", "jane.doe@ucd.ie",
          "movieId", "M1",
          "date", "2022-04-15",
          "showTime", "11:00",
          "tickets", 2,
          "ticketType", "Gold",
          "amount", 29.90);

  @LocalServerPort private int port;
  @LocalManagementPort private int management;
  @Autowired private Operations operations;
  @Autowired private Keys channel;
  @MockitoSpyBean private Handicap handicap;
  private RestClient http;

  @BeforeEach
  void connect() {
    http =
        RestClient.builder()
            .baseUrl("http://localhost:" + port)
            .defaultStatusHandler(status -> true, (request, response) -> {})
            .build();
  }

  @Test
  void leavesMoviesToEverybody() {
    var acknowledged = get(MOVIES, null);

    assertThat(status(acknowledged)).isEqualTo(202);
    assertThat(status(get(location(acknowledged), null))).isEqualTo(202);
    assertThat(status(get("/openapi.yaml", null))).isEqualTo(200);
  }

  @Test
  void carriesItsHandicapInEachRequestAndInNoFetch() {
    get(location(get(MOVIES, null)), null);

    verify(handicap).burn();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {RESERVATIONS, MAKE, MAKE + "/1", RESERVATIONS + "/1", "/", "/x", "/error"})
  void asksForAnAccount(String path) {
    var refused = get(path, null);

    assertProblem(refused, ProblemType.ACCOUNT_REQUIRED);
    assertThat(refused.getHeaders().getFirst(HttpHeaders.WWW_AUTHENTICATE))
        .isEqualTo("Basic realm=\"testbed\", charset=\"UTF-8\"");
  }

  @ParameterizedTest
  @CsvSource({"jane:his", "jane:hersx", "jane:her", "jane:", "nobody:hers", "admin:hers"})
  void knowsNoAccountByHalf(String account) {
    assertProblem(make(account), ProblemType.ACCOUNT_REQUIRED);
    // Wrong credentials must not be ignored, even where none are needed.
    assertProblem(get(MOVIES, account), ProblemType.ACCOUNT_REQUIRED);
  }

  @Test
  void handsAReservationToTheUserWhoMadeItAndToNobodyElse() {
    var acknowledged = make("jane:hers");
    assertThat(status(acknowledged)).isEqualTo(202);
    var id = CorrelationId.valueOf(String.valueOf(acknowledged.getBody()));
    operations.receive(id, new ReservationMade(UCD, made(id.value(), reservationFor("Jane"))), 100);

    for (var other : new String[] {"john:his", "admin:secret"}) {
      assertProblem(get(location(acknowledged), other), ProblemType.CORRELATION_UNKNOWN);
    }
    assertThat(status(get(location(acknowledged), "jane:hers"))).isEqualTo(200);
  }

  @Test
  void handsAListToTheClientThatAskedWithOrWithoutAnAccount() {
    var anonymous = location(get(MOVIES, null));
    var janes = location(get(MOVIES, "jane:hers"));

    assertProblem(get(anonymous, "jane:hers"), ProblemType.CORRELATION_UNKNOWN);
    assertProblem(get(janes, null), ProblemType.CORRELATION_UNKNOWN);
    assertThat(status(get(janes, "jane:hers"))).isEqualTo(202);
  }

  @Test
  void passesOnAnotherKeyForEachAccount() {
    var key = new IdempotencyKey("8e03978e-40d5");
    var body = new JsonMapper().writeValueAsString(RESERVATION);
    for (var account : List.of("jane:hers", "john:his")) {
      var answer =
          RawHttp.answerTo(
              port,
              "POST %s HTTP/1.1".formatted(MAKE),
              body,
              basic(account),
              "Content-Length: %d\r\n".formatted(body.length()),
              "Content-Type: application/json\r\n",
              "Idempotency-Key: %s\r\n".formatted(key));
      assertThat(answer).startsWith("HTTP/1.1 202");
    }

    assertThat(channel.keys).containsExactly(key.of("jane"), key.of("john"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        RESERVATIONS,
        RESERVATIONS + "/",
        RESERVATIONS + ";a=b",
        "/api/cinema/ucd/reservation/%6Cist",
        "/api/cinema/ucd//reservation/list",
        "/api/cinema/ucd/reservation/make/../list",
        "/api/movie/list/x/y",
        "//nothing",
        "/nothing"
      })
  void leavesTheRestToAdministratorsHoweverItIsWritten(String path) {
    var line = "GET %s HTTP/1.1".formatted(path);

    assertThat(RawHttp.answer(port, line, basic("jane:hers")))
        .startsWith("HTTP/1.1 403")
        .contains(ProblemType.FORBIDDEN.uri().toString());
    assertThat(RawHttp.answer(port, line, basic("admin:secret")))
        .doesNotStartWith("HTTP/1.1 403")
        .doesNotStartWith("HTTP/1.1 401");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/actuator/.." + RESERVATIONS,
        "/actuator/%2e%2e" + RESERVATIONS,
        "/actuator/;/.." + RESERVATIONS,
        "/openapi.yaml/.." + RESERVATIONS,
        "/api/movie/list/../../cinema/ucd/reservation/list"
      })
  void opensNothingByAWayAround(String path) {
    assertThat(RawHttp.answer(port, "GET %s HTTP/1.1".formatted(path))).startsWith("HTTP/1.1 4");
  }

  @Test
  void leavesTheOrderOfOtherRefusalsAsItIs() {
    assertProblem(get("/nothing", "admin:secret"), ProblemType.NOT_FOUND);
    assertProblem(get("//nothing", "admin:secret"), ProblemType.NOT_FOUND);
    assertProblem(get(MAKE, "jane:hers"), ProblemType.METHOD_NOT_ALLOWED);
    assertThat(RawHttp.answer(port, "TRACE / HTTP/1.1")).startsWith("HTTP/1.1 405");
    assertThat(RawHttp.answer(port, "GET /%00 HTTP/1.1")).startsWith("HTTP/1.1 400");
  }

  @Test
  void refusesBeforeTheBodyIsThere() {
    var answer =
        RawHttp.answerTo(
            port,
            "POST %s HTTP/1.1".formatted(MAKE),
            "{\"tickets\":",
            "Content-Length: 60000\r\n",
            "Content-Type: application/json\r\n");

    assertThat(answer).startsWith("HTTP/1.1 401");
  }

  @Test
  void refusesALargeBodyWhoeverSendsIt() {
    var answer =
        RawHttp.answer(port, "POST %s HTTP/1.1".formatted(MAKE), "Content-Length: 70000\r\n");

    assertThat(answer).startsWith("HTTP/1.1 413");
  }

  @Test
  void tellsItsHealthWhateverTheAccount() {
    assertThat(RawHttp.answer(management, "GET /actuator/health/liveness HTTP/1.1"))
        .startsWith("HTTP/1.1 200");
    assertThat(RawHttp.answer(management, "GET /actuator/prometheus HTTP/1.1", basic("jane:wrong")))
        .startsWith("HTTP/1.1 200");
  }

  @Test
  void letsNobodyGuessOrKeepWhatAnAnswerIs() {
    var headers = get(MOVIES, null).getHeaders();

    assertThat(headers.getFirst("X-Content-Type-Options")).isEqualTo("nosniff");
    assertThat(headers.getCacheControl()).contains("no-store");
    assertThat(headers.get(HttpHeaders.SET_COOKIE)).isNull();
  }

  private ResponseEntity<String> get(String path, @Nullable String account) {
    return ask(HttpMethod.GET, path, account, null);
  }

  private ResponseEntity<String> make(String account) {
    return ask(HttpMethod.POST, MAKE, account, RESERVATION);
  }

  private ResponseEntity<String> ask(
      HttpMethod method, String path, @Nullable String account, @Nullable Object body) {
    var request =
        http.method(method)
            // As it is written.
            .uri(URI.create("http://localhost:" + port + path))
            .headers(
                headers ->
                    Optional.ofNullable(account)
                        .map(AccessTest::encoded)
                        .ifPresent(headers::setBasicAuth));
    if (body != null) {
      request.contentType(MediaType.APPLICATION_JSON).body(body);
    }
    return request.retrieve().toEntity(String.class);
  }

  private static void assertProblem(ResponseEntity<String> answer, ProblemType type) {
    assertThat(status(answer)).isEqualTo(type.status());
    assertThat(answer.getHeaders().getContentType()).isEqualTo(MediaType.APPLICATION_PROBLEM_JSON);
    assertThat(answer.getBody()).contains(type.uri().toString());
  }

  private static int status(ResponseEntity<String> answer) {
    return answer.getStatusCode().value();
  }

  private static String location(ResponseEntity<String> acknowledged) {
    return String.valueOf(acknowledged.getHeaders().getFirst(HttpHeaders.LOCATION));
  }

  private static String encoded(String account) {
    var parts = account.split(":", 2);
    return HttpHeaders.encodeBasicAuth(parts[0], parts[1], null);
  }

  private static String basic(String account) {
    return "Authorization: Basic %s\r\n".formatted(encoded(account));
  }

  @TestConfiguration(proxyBeanMethods = false)
  static class TakesEveryRequest {

    @Bean
    @Primary
    Keys channel() {
      return new Keys();
    }
  }

  /** Takes every request and notes its key. */
  static final class Keys implements RequestChannel {

    private final List<IdempotencyKey> keys = new CopyOnWriteArrayList<>();

    @Override
    public Delivery send(
        CorrelationId id,
        Operation<?> operation,
        Question<?> request,
        CompletionStage<?> answered) {
      if (request instanceof MakeReservation wanted && wanted.key() != null) {
        keys.add(wanted.key());
      }
      return Delivery.CONFIRMED;
    }
  }
}
