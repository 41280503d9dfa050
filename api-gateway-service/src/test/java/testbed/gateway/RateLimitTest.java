package testbed.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.http.HttpHeaders;
import org.springframework.test.context.TestPropertySource;
import testbed.contracts.ProblemType;

/** A client that makes more requests than it may. */
@TestPropertySource(properties = "testbed.client.rate-limit=2/min")
class RateLimitTest extends RunningGateway {

  @Test
  void isRefusedAndNotPassedOn() {
    service.answersAsCinema("strand");
    registerCinema("strand");
    for (int request = 0; request < 2; request++) {
      get("/cinema/strand/movie/list").expectStatus().isOk();
    }

    var refused = get("/cinema/strand/movie/list");

    refused.expectHeader().valueEquals(HttpHeaders.RETRY_AFTER, "60");
    expectProblem(refused, ProblemType.TOO_MANY_REQUESTS, "A client may make 2 requests in 60 s.");
    assertThat(service.requests()).hasSize(2);
    get("/nothing").expectStatus().isEqualTo(429);
    getManagement("/actuator/health").expectStatus().isOk();
  }
}
