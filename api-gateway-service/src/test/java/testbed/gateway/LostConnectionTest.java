package testbed.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import java.time.Duration;
import java.util.HashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import testbed.contracts.ProblemType;

/** An instance that takes requests and dies before it has answered. */
class LostConnectionTest extends RunningGateway {

  private static final Duration REST = Duration.ofSeconds(5);

  @Autowired private CircuitBreakerRegistry breakers;

  private final RawService dying = RawService.resetting();

  @AfterEach
  void closeDying() {
    dying.close();
  }

  @Test
  void isNoFailureForAGetThatAnotherInstanceAnswers() {
    registerTwo("plaza-two");

    // Round robin: every other request comes to the dying instance first.
    for (int i = 0; i < 4; i++) {
      get("/cinema/plaza-two/movie/list").expectStatus().isOk();
    }

    assertThat(service.requests()).hasSize(4);
  }

  @Test
  void isNotMadeGoodByAskingTwiceForWhatMayHaveBeenDone() {
    registerTwo("ritz-two");

    // Five times what the breaker needs to judge. Every other one would come to the dying instance,
    // were it not left out after the third.
    var statuses = new HashMap<HttpStatusCode, Integer>();
    long began = System.nanoTime();
    for (int i = 0; i < 100; i++) {
      var answer = post("/cinema/ritz-two/reservation/make", BODY).expectBody().returnResult();
      statuses.merge(answer.getStatus(), 1, Integer::sum);
    }

    // It is tried again after each rest, and each is longer than the one before.
    int tries = (int) Duration.ofNanos(System.nanoTime() - began).dividedBy(REST);
    int lost = statuses.getOrDefault(HttpStatus.GATEWAY_TIMEOUT, 0);
    assertThat(lost).isBetween(3, 3 + tries);
    assertThat(statuses)
        .containsOnly(entry(HttpStatus.OK, 100 - lost), entry(HttpStatus.GATEWAY_TIMEOUT, lost));
    assertThat(service.requests()).hasSize(100 - lost);
    assertThat(breaker("ritz-two").getState()).isEqualTo(State.CLOSED);
    assertThat(breaker("ritz-two").getMetrics().getNumberOfFailedCalls()).isZero();
  }

  @Test
  void isAFailureOfAServiceWithoutAnotherInstanceAndNoRefusal() {
    registerCinema("roxy", dying.address());

    // As many as the breaker needs to judge.
    for (int i = 0; i < 20; i++) {
      expectFallback(
          post("/cinema/roxy/reservation/make", BODY),
          ProblemType.NO_ANSWER,
          "cinema-roxy-service");
    }

    assertThat(breaker("roxy").getState()).isEqualTo(State.OPEN);
  }

  @Test
  void isReportedWithoutTheHeadersOfAnAnswerThatHasBegun() {
    var begin =
        """
        HTTP/1.1 200 OK\r
        Content-Type: application/json\r
        Content-Length: 100\r
        Link: </next>; rel=next\r
        \r
        [{"id":\
        """;
    try (var ending = RawService.endingAfter(begin)) {
      registerCinema("rex-two", ending.address());

      var answer = get("/cinema/rex-two/movie/list");

      expectProblem(answer, ProblemType.NO_ANSWER, "The answer broke off at its beginning.");
      answer.expectHeader().doesNotExist(HttpHeaders.LINK);
    }
  }

  private void registerTwo(String cinema) {
    service.answersAsCinema(cinema);
    registerCinema(cinema, dying.address());
    registerCinema(cinema);
  }

  private CircuitBreaker breaker(String cinema) {
    return breakers.circuitBreaker("cinema-%s-service".formatted(cinema));
  }
}
