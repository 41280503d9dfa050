package testbed.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static testbed.support.testing.StandInServer.respond;

import com.sun.net.httpserver.Headers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import testbed.contracts.ProblemType;
import testbed.support.deadline.Deadline;
import testbed.support.testing.RawHttp;
import testbed.support.testing.StandInServer;

class RoutesTest extends RunningGateway {

  @Test
  void sendsTheApiToTheAggregator() {
    service.answers(200, "application/json", "[]");
    registerAggregator();

    get("/api/movie/list").expectStatus().isOk().expectBody(String.class).isEqualTo("[]");

    assertThat(service.requests()).containsExactly("GET /api/movie/list");
  }

  @Test
  void sendsACinemasPathsToTheCinemaUnchanged() {
    service.does(
        request -> {
          request.getResponseHeaders().set("Location", "/cinema/savoy/reservation/1");
          respond(request, 201, "application/json", BODY);
        });
    registerCinema("savoy");

    http.post()
        .uri("/cinema/savoy/reservation/make?a={a}", "b c")
        .contentType(MediaType.APPLICATION_JSON)
        .bodyValue(BODY)
        .exchange()
        .expectStatus()
        .isCreated()
        .expectHeader()
        .location("/cinema/savoy/reservation/1")
        .expectBody(String.class)
        .isEqualTo(BODY);

    assertThat(service.requests()).containsExactly("POST /cinema/savoy/reservation/make?a=b%20c");
  }

  @Test
  void takesTheInstancesOfEachServiceInTurnHoweverManyServicesAreAsked() {
    try (var second = new StandInServer()) {
      for (var instance : List.of(service, second)) {
        instance.answers(200, "application/json", "[]");
        registerCinema("plaza", instance.address());
        registerCinema("strand", instance.address());
      }

      for (int time = 0; time < 2; time++) {
        get("/cinema/plaza/movie/list").expectStatus().isOk();
        get("/cinema/strand/movie/list").expectStatus().isOk();
      }

      for (var instance : List.of(service, second)) {
        assertThat(instance.requests())
            .containsExactlyInAnyOrder(
                "GET /cinema/plaza/movie/list", "GET /cinema/strand/movie/list");
      }
    }
  }

  @Test
  void findsACinemaThatAppearsWithoutARestart() {
    service.answers(200, "application/json", "[]");
    expectProblem(
        get("/cinema/fourth/movie/list"),
        ProblemType.CINEMA_UNKNOWN,
        "No cinema is called 'fourth'.");

    registerCinema("fourth");

    get("/cinema/fourth/movie/list").expectStatus().isOk();
  }

  @Test
  void remembersACinemaThatIsGone() {
    registerCinema("forum");
    registry.clear();
    heartbeat();

    expectFallback(
        get("/cinema/forum/movie/list"), ProblemType.CIRCUIT_OPEN, "cinema-forum-service");
    expectFallback(
        post("/cinema/forum/reservation/make", BODY),
        ProblemType.CIRCUIT_OPEN,
        "cinema-forum-service");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/", "/nothing", "/cinema", "/actuator/gateway/routes", "/actuator/health"})
  void knowsNothingElse(String path) {
    expectProblem(get(path), ProblemType.NOT_FOUND, "Nothing is at %s.".formatted(path));
  }

  @Test
  void hasNoRoutesAtTheManagementPort() {
    service.answersAsCinema("grand");
    registerCinema("grand");

    expectProblem(
        getManagement("/cinema/grand/movie/list"),
        ProblemType.NOT_FOUND,
        "Nothing is at /cinema/grand/movie/list.");
    assertThat(service.requests()).isEmpty();
  }

  @Test
  void saysThatThereIsNoBodyWhereTheClientSaysSo() {
    var length = new AtomicReference<String>();
    service.does(
        request -> {
          length.set(request.getRequestHeaders().getFirst("Content-Length"));
          respond(request, 200, "application/json", "[]");
        });
    registerCinema("corner");

    http.post()
        .uri("/cinema/corner/reservation/make")
        .header("Content-Length", "0")
        .exchange()
        .expectStatus()
        .isOk();

    assertThat(length).hasValue("0");
  }

  @Test
  void passesNoCredentialsOn() {
    var credentials = new AtomicReference<Boolean>();
    service.does(
        request -> {
          credentials.set(request.getRequestHeaders().containsKey("Authorization"));
          respond(request, 200, "application/json", "[]");
        });
    registerCinema("classic");

    get("/cinema/classic/movie/list").expectStatus().isOk();

    assertThat(credentials).hasValue(false);
  }

  @ParameterizedTest
  @ValueSource(ints = {404, 405, 422, 500, 503})
  void passesAProblemOfTheServiceOnUnchanged(int status) {
    var problem = "{\"type\":\"urn:testbed:problem:showing-unknown\",\"detail\":\"told\"}";
    service.answers(status, "application/problem+json", problem);
    registerCinema("lighthouse");

    post("/cinema/lighthouse/reservation/make", BODY)
        .expectStatus()
        .isEqualTo(HttpStatus.valueOf(status))
        .expectHeader()
        .contentType(MediaType.APPLICATION_PROBLEM_JSON)
        .expectBody(String.class)
        .isEqualTo(problem);
  }

  @Test
  void refusesABodyThatIsTooLargeWithoutAskingTheService() {
    registerCinema("gate");

    expectProblem(
        post("/cinema/gate/reservation/make", "a".repeat(65 * 1024)),
        ProblemType.TOO_LARGE,
        "The body is larger than 65536 bytes.");
    assertThat(service.requests()).isEmpty();
  }

  @Test
  void passesABodyOfTheLargestSizeOn() {
    var size = new AtomicReference<Integer>();
    service.does(
        request -> {
          var body = new String(request.getRequestBody().readAllBytes(), StandardCharsets.US_ASCII);
          size.set(body.length());
          respond(request, 200, "application/json", "[]");
        });
    registerCinema("odeon");

    post("/cinema/odeon/reservation/make", "a".repeat(64 * 1024)).expectStatus().isOk();

    assertThat(size).hasValue(64 * 1024);
  }

  @Test
  void believesNobodyAboutTheClientsAddress() {
    var forwarded = new AtomicReference<Boolean>();
    service.does(
        request -> {
          forwarded.set(
              request.getRequestHeaders().keySet().stream()
                  .anyMatch(name -> name.toLowerCase().contains("forwarded")));
          respond(request, 200, "application/json", "[]");
        });
    registerCinema("stella");

    http.get()
        .uri("/cinema/stella/movie/list")
        .header("Forwarded", "for=192.0.2.60;host=evil.example")
        .header("X-Forwarded-For", "192.0.2.60")
        .header("X-Forwarded-Host", "evil.example")
        .exchange()
        .expectStatus()
        .isOk();

    assertThat(forwarded).hasValue(false);
  }

  @Test
  void passesNoHeaderOnThatAConnectionNominates() {
    var atService = new AtomicReference<Headers>();
    service.does(
        request -> {
          atService.set(request.getRequestHeaders());
          var headers = request.getResponseHeaders();
          headers.add("Connection", "x-only-for-the-gateway, keep-alive");
          headers.add("Connection", "X-Too");
          headers.set("X-Only-For-The-Gateway", "1");
          headers.set("X-Too", "1");
          headers.set("X-For-The-Client", "1");
          respond(request, 200, "application/json", "[]");
        });
    registerCinema("ucd");

    var answer =
        RawHttp.answer(
            port,
            "GET /cinema/ucd/movie/list HTTP/1.1",
            "Connection: X-Only-For-The-Gateway ,x-too\r\n",
            "X-Only-For-The-Gateway: 1\r\n",
            "X-Too: 1\r\n",
            "X-For-The-Service: 1\r\n");

    assertThat(atService.get())
        .containsKey("X-For-The-Service")
        .doesNotContainKeys("X-Only-For-The-Gateway", "X-Too");
    assertThat(answer)
        .startsWith("HTTP/1.1 200")
        .containsIgnoringCase("X-For-The-Client: 1")
        .doesNotContainIgnoringCase("X-Only-For-The-Gateway")
        .doesNotContainIgnoringCase("X-Too");
  }

  @Test
  void tellsTheServiceHowLongItWaitsWhateverTheClientSays() {
    var timeouts = new AtomicReference<List<String>>();
    service.does(
        request -> {
          timeouts.set(request.getRequestHeaders().get(Deadline.HEADER));
          respond(request, 200, "application/json", "[]");
        });
    registerCinema("tivoli");

    http.get()
        .uri("/cinema/tivoli/movie/list")
        .header(Deadline.HEADER, "86400000")
        .exchange()
        .expectStatus()
        .isOk();

    // No more than the time limit.
    assertThat(timeouts.get())
        .singleElement()
        .satisfies(millis -> assertThat(Long.parseLong(millis)).isBetween(1L, 60_000L));
  }

  @Test
  void countsRequestsByRoute() {
    service.answers(200, "application/json", "[]");
    registerCinema("rialto");
    get("/cinema/rialto/movie/list").expectStatus().isOk();

    // A request is counted when its answer has been sent, so the client may be earlier.
    await()
        .untilAsserted(
            () ->
                assertThat(
                        getManagement("/actuator/prometheus")
                            .expectStatus()
                            .isOk()
                            .expectBody(String.class)
                            .returnResult()
                            .getResponseBody())
                    .contains("uri=\"/cinema/rialto/**\"", "resilience4j_circuitbreaker_state")
                    .contains("name=\"cinema-rialto-service\""));
  }

  @Test
  void isReadyWhenTheRegistryHasAnswered() {
    heartbeat();

    getManagement("/actuator/health/readiness").expectStatus().isOk();
    getManagement("/actuator/health/liveness").expectStatus().isOk();
  }
}
