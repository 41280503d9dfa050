package testbed.aggregator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.verify;
import static testbed.support.testing.StandInServer.cinema;
import static testbed.support.testing.StandInServer.respond;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;
import testbed.support.deadline.Deadline;
import testbed.support.handicap.Handicap;

/** Cinemas that are asked straight, and what becomes of the list if they fail. */
@TestPropertySource(properties = {"aggregator.pool.size=2", "aggregator.pool.acquire=100ms"})
class MovieListTest extends RunningAggregator {

  @MockitoSpyBean Handicap handicap;

  @Test
  void listsEveryRegisteredCinema() {
    var list = get("/api/movie/list");

    assertThat(list.getStatusCode()).isEqualTo(HttpStatus.OK);
    assertThat(list.getHeaders().getContentType()).isEqualTo(MediaType.APPLICATION_JSON);
    assertThat(list.getHeaders().get("Cinemas-Missing")).isNull();
    assertThat(list.getBody()).isEqualTo("[%s,%s]", cinema("dundrum"), cinema("ucd"));
    assertThat(dundrum.requests()).containsExactly("GET /cinema/dundrum/movie/list");
    verify(handicap).burn();
  }

  @Test
  void timesListsUnderTheirPath() {
    get("/api/movie/list");
    get("/api/movie/nothing");

    // A request is counted when its answer has been sent, so the client may be earlier.
    await()
        .untilAsserted(
            () ->
                assertThat(getManagement("/actuator/prometheus").getBody())
                    .containsPattern(timed("uri=\"/api/movie/list\""))
                    .containsPattern(timed("status=\"404\""))
                    .doesNotContain("/api/movie/nothing"));
  }

  @Test
  void refusesAClientThatAcceptsNoJson() {
    var headers = new HttpHeaders();
    headers.setAccept(List.of(MediaType.TEXT_HTML));

    assertThat(get("/api/movie/list", headers).getStatusCode())
        .isEqualTo(HttpStatus.NOT_ACCEPTABLE);
  }

  @Test
  void refusesOtherMethods() {
    var refused = post("/api/movie/list");

    assertThat(refused.getStatusCode()).isEqualTo(HttpStatus.METHOD_NOT_ALLOWED);
    assertThat(refused.getHeaders().getContentType()).isEqualTo(MediaType.APPLICATION_PROBLEM_JSON);
  }

  @Test
  void namesACinemaThatFails() {
    dundrum.answers(500, "application/problem+json", "{}");

    assertPartial(get("/api/movie/list"));
  }

  @Test
  void namesACinemaWhoseAnswerIsNone() {
    dundrum.answers(200, "application/json", "{\"id\":");

    assertPartial(get("/api/movie/list"));
  }

  @Test
  void namesACinemaThatStoppedAMomentAgo() {
    dundrum.close();

    assertPartial(get("/api/movie/list"));
  }

  @Test
  void namesACinemaThatTheRegistryHasForgotten() {
    registry.remove("cinema-dundrum-service");
    events.publishEvent(registry.heartbeat());

    assertPartial(get("/api/movie/list"));
    assertThat(dundrum.requests()).isEmpty();
  }

  @Test
  void tellsACinemaHowLongItsAnswerIsWaitedFor() {
    var timeout = new AtomicReference<String>();
    ucd.does(
        request -> {
          timeout.set(request.getRequestHeaders().getFirst(Deadline.HEADER));
          respond(request, 200, "application/json", cinema("ucd"));
        });

    get("/api/movie/list");

    assertThat(Long.parseLong(timeout.get())).isBetween(1L, 60_000L);
  }

  @Test
  void asksNobodyForACallerWhoseTimeIsOver() {
    var headers = new HttpHeaders();
    headers.set(Deadline.HEADER, "0");

    var list = get("/api/movie/list", headers);

    assertThat(list.getStatusCode()).isEqualTo(HttpStatus.GATEWAY_TIMEOUT);
    assertThat(dundrum.requests()).isEmpty();
    assertThat(ucd.requests()).isEmpty();
  }

  @Test
  void freesTheConnectionsOfCancelledQuestions() {
    dundrum.isSilent();
    // More often than there are connections to a cinema.
    for (int i = 0; i < 3; i++) {
      // On a busy machine the others may be late, too.
      await().untilAsserted(() -> assertPartial(soon()));
    }

    dundrum.answersAsCinema("dundrum");

    assertThat(get("/api/movie/list").getBody()).contains("dundrum", "ucd");
  }

  @Test
  void saysSoIfNobodyAnswers() {
    dundrum.isSilent();
    ucd.answers(500, "application/problem+json", "{}");

    var list = soon();

    assertThat(list.getStatusCode()).isEqualTo(HttpStatus.GATEWAY_TIMEOUT);
    assertThat(list.getHeaders().getContentType()).isEqualTo(MediaType.APPLICATION_PROBLEM_JSON);
    assertThat(list.getBody())
        .contains("urn:testbed:problem:no-answer", "No answer from: dundrum, ucd.");
  }

  @Test
  void isReadyAliveAndMeasured() {
    assertThat(getManagement("/actuator/health/readiness").getBody()).contains("\"status\":\"UP\"");
    assertThat(getManagement("/actuator/health/liveness").getBody()).contains("\"status\":\"UP\"");
    assertThat(getManagement("/actuator/prometheus").getBody())
        .contains("application=\"aggregator-service\"");
    assertThat(getManagement("/actuator/env").getStatusCode()).isEqualTo(HttpStatus.NOT_FOUND);
    assertThat(get("/actuator/health/liveness").getStatusCode()).isEqualTo(HttpStatus.NOT_FOUND);
  }

  /** The list for a client that does not wait long. */
  private ResponseEntity<String> soon() {
    var headers = new HttpHeaders();
    headers.set(Deadline.HEADER, "2000");
    return get("/api/movie/list", headers);
  }

  private static String timed(String tag) {
    return "http_server_requests_seconds_count\\{.*" + tag;
  }

  private static void assertPartial(ResponseEntity<String> list) {
    assertThat(list.getStatusCode()).isEqualTo(HttpStatus.OK);
    assertThat(list.getHeaders().get("Cinemas-Missing")).containsExactly("dundrum");
    assertThat(list.getBody()).isEqualTo("[%s]", cinema("ucd"));
  }
}
