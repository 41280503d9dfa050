package testbed.aggregator;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.TestPropertySource;

/** A cinema that is registered and does not finish its answers. */
@TestPropertySource(
    properties = {
      "aggregator.deadline=1s",
      "aggregator.breaker.minimum-number-of-calls=2",
      "aggregator.breaker.sliding-window-size=2",
      "aggregator.breaker.permitted-number-of-calls-in-half-open-state=1",
      // Until the test says otherwise.
      "aggregator.breaker.wait-duration-in-open-state=1h"
    })
class HangingCinemaTest extends RunningAggregator {

  @Autowired CircuitBreakerRegistry breakers;

  @BeforeEach
  void closeTheCircuits() {
    breakers.getAllCircuitBreakers().forEach(CircuitBreaker::reset);
    dundrum.requests().clear();
  }

  @Test
  void isMissingWithoutBeingAskedUntilItAnswersAgain() {
    dundrum.isSilent();

    // On a busy machine the other cinema may be late, too.
    await()
        .atMost(1, MINUTES)
        .untilAsserted(
            () -> {
              closeTheCircuits();
              for (int i = 0; i < 4; i++) {
                assertThat(missing()).isEqualTo("dundrum");
              }
              assertThat(dundrum.requests()).hasSize(2);
            });

    dundrum.answersAsCinema("dundrum");
    await()
        .untilAsserted(
            () -> {
              breakers.circuitBreaker("ucd-list").reset();
              breakers.circuitBreaker("dundrum-list").transitionToHalfOpenState();
              assertThat(missing()).isNull();
              assertThat(missing()).isNull();
            });
  }

  @Test
  void isCutOffAtTheDeadlineHoweverSteadilyItsAnswerComes() throws Exception {
    var cutOff = new CountDownLatch(1);
    dundrum.does(
        request -> {
          request.sendResponseHeaders(200, 0);
          try (var body = request.getResponseBody()) {
            await()
                .forever()
                .until(
                    () -> {
                      body.write(' ');
                      body.flush();
                      return false;
                    });
          } catch (IOException gone) {
            cutOff.countDown();
          }
        });

    await()
        .atMost(1, MINUTES)
        .untilAsserted(
            () -> {
              closeTheCircuits();
              assertThat(missing()).isEqualTo("dundrum");
            });
    assertThat(cutOff.await(1, MINUTES)).isTrue();
  }

  private String missing() {
    return get("/api/movie/list").getHeaders().getFirst("Cinemas-Missing");
  }
}
