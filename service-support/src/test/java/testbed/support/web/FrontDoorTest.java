package testbed.support.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import testbed.contracts.ProblemType;
import testbed.support.testing.RawHttp;

/** A client that makes more requests than it may, on a running server. */
@SpringBootTest(
    classes = {RequestSizeLimitTest.Server.class, FrontDoor.class},
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = {
      "testbed.client.rate-limit=2/min",
      "management.endpoints.web.exposure.include=health"
    })
class FrontDoorTest {

  @LocalServerPort int port;

  @Test
  void refusesWhatIsOverTheRate() {
    for (int request = 0; request < 2; request++) {
      assertThat(read()).startsWith("HTTP/1.1 200");
    }

    assertThat(read())
        .startsWith("HTTP/1.1 429")
        .contains("Retry-After: 60\r\n", "Content-Type: application/problem+json")
        .contains("\"type\":\"%s\"".formatted(ProblemType.TOO_MANY_REQUESTS.uri()));
    assertThat(RawHttp.answer(port, "GET /nothing HTTP/1.1")).startsWith("HTTP/1.1 429");
    assertThat(RawHttp.answer(port, "GET /actuator/health HTTP/1.1")).startsWith("HTTP/1.1 200");
  }

  private String read() {
    return RawHttp.answerTo(
        port, "POST /read HTTP/1.1", "x", "Content-Length: 1\r\n", "Content-Type: text/plain\r\n");
  }
}
