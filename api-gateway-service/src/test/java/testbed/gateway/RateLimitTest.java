package testbed.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.http.HttpHeaders;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.annotation.DirtiesContext.ClassMode;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.web.reactive.server.WebTestClient.ResponseSpec;
import testbed.contracts.ProblemType;

/** A client that makes more requests than it may. */
@TestPropertySource(
    properties = {"testbed.client.rate-limit=2/min", "access.users=jane:hers, john:his, joan:hers"})
@DirtiesContext(classMode = ClassMode.BEFORE_EACH_TEST_METHOD)
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

  @Test
  void isRefusedAfterTooManyWrongPasswordsWhileOthersAreNot() {
    service.answersAsCinema("strand");
    registerCinema("strand");
    for (int wrong = 0; wrong < 2; wrong++) {
      as("jane", "guess" + wrong).expectStatus().isUnauthorized();
    }

    var refused = as("jane", "guess");

    refused.expectHeader().valueEquals(HttpHeaders.RETRY_AFTER, "60");
    refused.expectHeader().doesNotExist(HttpHeaders.WWW_AUTHENTICATE);
    expectProblem(refused, ProblemType.TOO_MANY_REQUESTS, "A client may make 2 requests in 60 s.");
    as("unknown", "guess").expectStatus().isEqualTo(429);
    // A guess that is right is not told from one that is wrong.
    as("jane", "hers").expectStatus().isEqualTo(429);
    as("john", "his").expectStatus().isOk();
  }

  @Test
  void isRefusedAfterTooManyRequestsWithoutAnAccount() {
    http = http.mutate().defaultHeaders(HttpHeaders::clear).build();
    for (int request = 0; request < 2; request++) {
      get("/cinema/strand/reservation/list").expectStatus().isUnauthorized();
    }

    get("/cinema/strand/reservation/list").expectStatus().isEqualTo(429);
  }

  @Test
  void isRefusedAfterTooManyRequestsThatItMayNotMake() {
    for (int request = 0; request < 2; request++) {
      as("john", "his", "/cinema/strand/reservation/list").expectStatus().isForbidden();
    }

    as("john", "his", "/cinema/strand/reservation/list").expectStatus().isEqualTo(429);
  }

  private ResponseSpec as(String name, String password) {
    return as(name, password, "/cinema/strand/movie/list");
  }

  private ResponseSpec as(String name, String password, String path) {
    return http.get().uri(path).headers(headers -> headers.setBasicAuth(name, password)).exchange();
  }
}
