package testbed.aggregator;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.web.client.RestClient;
import testbed.support.testing.InMemoryRegistry;
import testbed.support.testing.StandInServer;

/** A cinema that is registered and does not answer to an end. */
@SpringBootTest(
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = {
      "eureka.client.enabled=false",
      "aggregator.deadline=1s",
      "aggregator.breaker.minimum-number-of-calls=2",
      "aggregator.breaker.sliding-window-size=2",
      "aggregator.breaker.permitted-number-of-calls-in-half-open-state=1",
      // Until the test says otherwise.
      "aggregator.breaker.wait-duration-in-open-state=1h"
    })
@DirtiesContext
@Import(InMemoryRegistry.class)
class HangingCinemaTest {

  @Autowired InMemoryRegistry registry;
  @Autowired ApplicationEventPublisher events;
  @Autowired CircuitBreakerRegistry breakers;
  @LocalServerPort int port;

  final StandInServer dundrum = new StandInServer();
  final StandInServer ucd = new StandInServer().answersAsCinema("ucd");

  @BeforeEach
  void register() {
    breakers.circuitBreaker("dundrum-list").reset();
    registry.clear();
    registry.addCinema("ucd", ucd.address());
    registry.addCinema("dundrum", dundrum.address());
    events.publishEvent(registry.heartbeat());
  }

  @AfterEach
  void close() {
    dundrum.close();
    ucd.close();
  }

  @Test
  void isMissingWithoutBeingAskedUntilItAnswersAgain() {
    dundrum.isSilent();

    for (int i = 0; i < 4; i++) {
      assertThat(missing()).isEqualTo("dundrum");
    }
    assertThat(dundrum.requests()).hasSize(2);

    dundrum.answersAsCinema("dundrum");
    breakers.circuitBreaker("dundrum-list").transitionToHalfOpenState();
    assertThat(missing()).isNull();
    assertThat(missing()).isNull();
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

    assertThat(missing()).isEqualTo("dundrum");
    assertThat(cutOff.await(10, SECONDS)).isTrue();
  }

  private String missing() {
    ResponseEntity<String> list =
        RestClient.create("http://localhost:" + port)
            .get()
            .uri("/api/movie/list")
            .retrieve()
            .toEntity(String.class);
    return list.getHeaders().getFirst("Cinemas-Missing");
  }
}
