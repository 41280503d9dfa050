package testbed.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static testbed.support.testing.StandInServer.respond;

import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpStatusCode;
import org.springframework.test.context.TestPropertySource;
import testbed.contracts.ProblemType;

// Until the test says otherwise.
@TestPropertySource(
    properties = "resilience4j.circuitbreaker.configs.default.wait-duration-in-open-state=1h")
class BreakerTest extends RunningGateway {

  @Autowired private CircuitBreakerRegistry breakers;

  @Test
  void fallsBackIfTheServiceCannotBeReached() {
    registerCinema("capitol");
    service.close();

    expectFallback(
        get("/cinema/capitol/movie/list"), ProblemType.CIRCUIT_OPEN, "cinema-capitol-service");
    expectFallback(
        post("/cinema/capitol/reservation/make", BODY),
        ProblemType.CIRCUIT_OPEN,
        "cinema-capitol-service");
  }

  @Test
  void fallsBackIfThereIsNoInstanceOfTheAggregator() {
    expectFallback(get("/api/movie/list"), ProblemType.CIRCUIT_OPEN, "aggregator-service");
  }

  @Test
  void opensWhenTheServiceFailsAndClosesWhenItRecovers() {
    service.answers(500, "application/problem+json", "{}");
    registerCinema("adelphi");
    // As many as the breaker needs to judge.
    for (int i = 0; i < 20; i++) {
      get("/cinema/adelphi/movie/list").expectStatus().isEqualTo(500);
    }

    expectFallback(
        get("/cinema/adelphi/movie/list"), ProblemType.CIRCUIT_OPEN, "cinema-adelphi-service");
    expectFallback(
        post("/cinema/adelphi/reservation/make", BODY),
        ProblemType.CIRCUIT_OPEN,
        "cinema-adelphi-service");
    assertThat(service.requests()).hasSize(20);

    service.answersAsCinema("adelphi");
    var breaker = breakers.circuitBreaker("cinema-adelphi-service");
    breaker.transitionToHalfOpenState();
    // As many as a breaker that is half open lets through.
    for (int i = 0; i < 10; i++) {
      get("/cinema/adelphi/movie/list").expectStatus().isOk();
    }
    assertThat(breaker.getState()).isEqualTo(State.CLOSED);
  }

  @Test
  void keepsOtherRoutesClosedWhenOneIsOpen() {
    service.answers(500, "application/problem+json", "{}");
    registerCinema("regal");
    for (int i = 0; i < 20; i++) {
      get("/cinema/regal/movie/list").expectStatus().isEqualTo(500);
    }
    registerCinema("carlton");

    get("/cinema/regal/movie/list").expectStatus().isEqualTo(503);
    get("/cinema/carlton/movie/list").expectStatus().isEqualTo(500);
  }

  @Test
  void doesNotCountWhatClientsDoWrong() {
    service.answers(422, "application/problem+json", "{}");
    registerCinema("ambassador");
    for (int i = 0; i < 25; i++) {
      post("/cinema/ambassador/reservation/make", BODY).expectStatus().isEqualTo(422);
    }

    assertThat(service.requests()).hasSize(25);
  }

  @Test
  void asksAnotherInstanceIfOneCannotBeReached() {
    try (var other = oneOfTwoInstances("plaza")) {
      // Round robin: every other request comes to the instance that is gone first.
      for (int i = 0; i < 4; i++) {
        get("/cinema/plaza/movie/list").expectStatus().isOk();
        post("/cinema/plaza/reservation/make", BODY).expectStatus().isOk();
      }
      assertThat(other.requests()).hasSize(8);
    }
  }

  @Test
  void staysClosedWhileOneOfTwoInstancesIsGone() {
    try (var other = oneOfTwoInstances("ritz")) {
      // Five times what the breaker needs to judge.
      for (int i = 0; i < 100; i++) {
        post("/cinema/ritz/reservation/make", BODY).expectStatus().isOk();
      }
    }
  }

  @Test
  void limitsNoRouteToTheTwentyFiveRequestsOfADefaultBulkhead() throws Exception {
    int clients = 60;
    // The service answers nobody before all have come.
    var barrier = new CyclicBarrier(clients);
    service.does(
        request -> {
          try {
            barrier.await(60, TimeUnit.SECONDS);
            respond(request, 200, "application/json", "[]");
          } catch (Exception e) {
            respond(request, 500, "application/json", "[]");
          }
        });
    registerCinema("savoy-one");
    Callable<HttpStatusCode> client =
        () -> get("/cinema/savoy-one/movie/list").expectBody().returnResult().getStatus();

    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var answers = threads.invokeAll(IntStream.range(0, clients).mapToObj(i -> client).toList());

      assertThat(answers)
          .extracting(answer -> answer.get().value())
          .hasSize(clients)
          .containsOnly(200);
    }
  }
}
