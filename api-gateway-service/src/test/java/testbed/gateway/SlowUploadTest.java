package testbed.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.MediaType;
import org.springframework.test.context.TestPropertySource;
import reactor.core.publisher.Flux;
import testbed.contracts.ProblemType;
import testbed.support.deadline.Deadline;
import testbed.support.testing.RawHttp;
import testbed.support.testing.StandInServer;

/** Clients that take longer over a request's body than a service may over its answer. */
@TestPropertySource(
    properties = {
      "testbed.web.body-time=2s",
      "resilience4j.timelimiter.instances.cinema-savoy-service.timeout-duration=500ms"
    })
class SlowUploadTest extends RunningGateway {

  private static final String[] HEADERS = {
    CREDENTIALS, "Content-Length: 60000\r\n", "Content-Type: application/json\r\n"
  };

  @Autowired private CircuitBreakerRegistry breakers;

  @Test
  void isNoFailureOfTheService() throws Exception {
    service.answersAsCinema("lyric");
    registerCinema("lyric");
    Callable<String> client = () -> RawHttp.answerTo(port, make("lyric"), "{\"tickets\":", HEADERS);

    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      // More than the breaker needs to judge.
      for (var answer : threads.invokeAll(IntStream.range(0, 25).mapToObj(i -> client).toList())) {
        assertRefused(answer.get());
      }
    }

    get("/cinema/lyric/movie/list").expectStatus().isOk();
    assertThat(service.requests()).containsExactly("GET /cinema/lyric/movie/list");
    var breaker = breakers.circuitBreaker("cinema-lyric-service");
    assertThat(breaker.getMetrics().getNumberOfFailedCalls()).isZero();
  }

  @Test
  void endsWhenItsTimeIsOverHoweverSteadilyItComes() {
    registerCinema("gaiety");

    assertRefused(RawHttp.answerToTrickle(port, make("gaiety"), HEADERS));
  }

  @Test
  void leavesTheServiceItsTime() {
    var timeout = new AtomicReference<String>();
    service.does(
        request -> {
          timeout.set(request.getRequestHeaders().getFirst(Deadline.HEADER));
          StandInServer.respond(request, 200, "application/json", "[]");
        });
    registerCinema("savoy");

    // Takes longer than the service may. On a busy machine the service itself may be late.
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(
            () ->
                http.post()
                    .uri("/cinema/savoy/reservation/make")
                    .contentType(MediaType.APPLICATION_JSON)
                    .body(
                        Flux.just("{\"tickets\"", ":2}").delayElements(Duration.ofMillis(300)),
                        String.class)
                    .exchange()
                    .expectStatus()
                    .isOk());

    assertThat(timeout.get()).isNotEqualTo("0");
  }

  private static String make(String cinema) {
    return "POST /cinema/%s/reservation/make HTTP/1.1".formatted(cinema);
  }

  private static void assertRefused(String answer) {
    assertThat(answer)
        .startsWith("HTTP/1.1 408")
        .containsIgnoringCase("Content-Type: application/problem+json\r\n")
        .contains("\"type\":\"%s\"".formatted(ProblemType.REQUEST_TIMEOUT.uri()));
  }
}
