package testbed.broker;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.HttpHeaders;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.annotation.DirtiesContext.ClassMode;
import testbed.contracts.ProblemType;
import testbed.support.testing.RawHttp;

/** A client that is refused more often than it may ask. */
@SpringBootTest(
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = {
      // Reserved: nothing answers there.
      "RABBITMQ_PORT=1",
      "access.users=jane:hers, john:his",
      "testbed.client.rate-limit=2/min"
    })
@DirtiesContext(classMode = ClassMode.BEFORE_EACH_TEST_METHOD)
class RateLimitTest {

  private static final String FETCH =
      "GET /api/cinema/ucd/reservation/make/36f93c29-c823-4589-a704-56e2ef50e5f3 HTTP/1.1";
  private static final String LIST = "GET /api/cinema/ucd/reservation/list HTTP/1.1";

  @LocalServerPort private int port;

  @Test
  void checksNoPasswordAfterTooManyWrongOnesWhileOthersAreServed() {
    for (int wrong = 0; wrong < 2; wrong++) {
      assertThat(as("jane", "guess" + wrong, FETCH)).startsWith("HTTP/1.1 401");
    }

    assertThat(as("jane", "guess", FETCH))
        .startsWith("HTTP/1.1 429")
        .contains("Retry-After: 60\r\n", ProblemType.TOO_MANY_REQUESTS.uri().toString())
        .doesNotContain("WWW-Authenticate");
    assertThat(as("unknown", "guess", FETCH)).startsWith("HTTP/1.1 429");
    // A guess that is right is not told from one that is wrong.
    assertThat(as("jane", "hers", FETCH)).startsWith("HTTP/1.1 429");
    assertThat(as("john", "his", FETCH)).startsWith("HTTP/1.1 404");
  }

  @Test
  void countsRequestsWithoutAnAccount() {
    for (int request = 0; request < 2; request++) {
      assertThat(RawHttp.answer(port, LIST)).startsWith("HTTP/1.1 401");
    }

    assertThat(RawHttp.answer(port, LIST)).startsWith("HTTP/1.1 429");
  }

  @Test
  void countsRequestsThatAUserMayNotMake() {
    for (int request = 0; request < 2; request++) {
      assertThat(as("john", "his", LIST)).startsWith("HTTP/1.1 403");
    }

    assertThat(as("john", "his", LIST)).startsWith("HTTP/1.1 429");
  }

  private String as(String name, String password, String line) {
    return RawHttp.answer(
        port,
        line,
        "Authorization: Basic %s\r\n".formatted(HttpHeaders.encodeBasicAuth(name, password, null)));
  }
}
