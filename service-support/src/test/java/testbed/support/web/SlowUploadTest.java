package testbed.support.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import testbed.contracts.ProblemType;
import testbed.support.testing.RawHttp;

/** Clients that are slow with a body, on running servers. */
class SlowUploadTest {

  private static final String REQUEST = "POST /read HTTP/1.1";
  private static final String[] HEADERS = {
    "Content-Length: 60000\r\n", "Content-Type: text/plain\r\n"
  };

  @Nested
  @SpringBootTest(
      classes = RequestSizeLimitTest.Server.class,
      webEnvironment = WebEnvironment.RANDOM_PORT,
      properties = {"server.tomcat.connection-timeout=300ms"})
  class Stalled {

    @LocalServerPort int port;

    @Test
    void isRefused() {
      assertRefused(RawHttp.answerTo(port, REQUEST, "the first bytes", HEADERS));
    }
  }

  @Nested
  @SpringBootTest(
      classes = RequestSizeLimitTest.Server.class,
      webEnvironment = WebEnvironment.RANDOM_PORT,
      properties = {"testbed.web.body-time=1s"})
  class Trickling {

    @LocalServerPort int port;

    @Test
    void isRefusedWhenItsTimeIsOver() {
      assertRefused(RawHttp.answerToTrickle(port, REQUEST, HEADERS));
    }
  }

  @Nested
  @SpringBootTest(
      classes = RequestSizeLimitTest.Server.class,
      webEnvironment = WebEnvironment.RANDOM_PORT,
      properties = {"testbed.web.body-time=60s"})
  class InTime {

    @LocalServerPort int port;

    @Test
    void isRead() {
      assertThat(RawHttp.answerTo(port, REQUEST, "x".repeat(60_000), HEADERS))
          .startsWith("HTTP/1.1 200")
          .contains("60000 bytes");
    }
  }

  private static void assertRefused(String answer) {
    assertThat(answer)
        .startsWith("HTTP/1.1 408")
        .contains("Content-Type: application/problem+json\r\n")
        .contains("\"type\":\"%s\"".formatted(ProblemType.REQUEST_TIMEOUT.uri()));
  }
}
