package testbed.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.TestPropertySource;
import testbed.contracts.ProblemType;
import testbed.support.testing.LongLimits;

/** The preset's own times: those of the other tests are longer. */
@TestPropertySource(properties = LongLimits.OFF)
class TimeLimitTest extends RunningGateway {

  @Autowired private CircuitBreakerRegistry breakers;

  @Test
  void isFiveSecondsAndNotTheLibrarysOne() {
    service.isSilent();
    registerCinema("metropole");
    long began = System.nanoTime();

    expectFallback(
        post("/cinema/metropole/reservation/make", BODY),
        ProblemType.TIME_LIMIT,
        "cinema-metropole-service");

    assertThat(Duration.ofNanos(System.nanoTime() - began))
        .isGreaterThanOrEqualTo(Duration.ofMillis(4900));
  }

  @Test
  void ofAnOpenCircuitEndsByItself() {
    service.answers(500, "application/problem+json", "{}");
    registerCinema("adelphi");
    // As many as the breaker needs to judge.
    for (int i = 0; i < 20; i++) {
      get("/cinema/adelphi/movie/list");
    }
    assertThat(breakers.circuitBreaker("cinema-adelphi-service").getState()).isEqualTo(State.OPEN);

    service.answersAsCinema("adelphi");
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(() -> get("/cinema/adelphi/movie/list").expectStatus().isOk());
  }
}
