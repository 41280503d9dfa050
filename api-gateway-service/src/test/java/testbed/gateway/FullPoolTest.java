package testbed.gateway;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static testbed.support.testing.StandInServer.respond;

import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.TestPropertySource;
import testbed.contracts.ProblemType;

@TestPropertySource(
    properties = {
      "spring.cloud.gateway.server.webflux.httpclient.pool.max-connections=1",
      "spring.cloud.gateway.server.webflux.httpclient.pool.acquire-timeout=50"
    })
class FullPoolTest extends RunningGateway {

  @Autowired private CircuitBreakerRegistry breakers;

  @Test
  void isNoFailureOfTheService() throws Exception {
    var asked = new CountDownLatch(1);
    var answers = new CountDownLatch(1);
    service.does(
        request -> {
          asked.countDown();
          try {
            answers.await(60, SECONDS);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          respond(request, 200, "application/json", "[]");
        });
    registerCinema("rex");
    try (var client = Executors.newVirtualThreadPerTaskExecutor()) {
      var first = client.submit(() -> get("/cinema/rex/movie/list").expectStatus().isOk());
      assertThat(asked.await(60, SECONDS)).isTrue();

      // More than the breaker needs to judge.
      for (int i = 0; i < 25; i++) {
        expectFallback(
            get("/cinema/rex/movie/list"), ProblemType.CIRCUIT_OPEN, "cinema-rex-service");
      }
      answers.countDown();
      first.get();
    }

    var metrics = breakers.circuitBreaker("cinema-rex-service").getMetrics();
    assertThat(metrics.getNumberOfFailedCalls()).isZero();
    await().untilAsserted(() -> assertThat(metrics.getNumberOfSuccessfulCalls()).isOne());
  }
}
