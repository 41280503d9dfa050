package testbed.support.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Configuration;
import testbed.contracts.ProblemType;
import testbed.support.testing.RawHttp;

/** What comes to no filter and no controller, on a running server. */
@SpringBootTest(
    classes = ProblemReportValveTest.Server.class,
    webEnvironment = WebEnvironment.RANDOM_PORT)
class ProblemReportValveTest {

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Server {}

  @LocalServerPort int port;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /%zz HTTP/1.1",
        "GET /%00 HTTP/1.1",
        "GET /%5C.. HTTP/1.1",
        "GET /.. HTTP/1.1",
        "GET /?x={} HTTP/1.1",
        "GET /a b HTTP/1.1",
        "G{T / HTTP/1.1",
        "nonsense"
      })
  void refusesWhatIsNoRequest(String requestLine) {
    assertProblem(RawHttp.answer(port, requestLine), 400, ProblemType.INVALID_REQUEST);
  }

  @Test
  void refusesAMethodThatTheServerDoesNotDo() {
    assertProblem(RawHttp.answer(port, "TRACE / HTTP/1.1"), 405, ProblemType.METHOD_NOT_ALLOWED);
  }

  @Test
  void refusesHeadersThatAreTooLarge() {
    var answer = RawHttp.answer(port, "GET / HTTP/1.1", "X: %s\r\n".formatted("x".repeat(20_000)));

    assertProblem(answer, 431, ProblemType.TOO_LARGE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET // HTTP/1.1", "GET //a//b HTTP/1.1", "HEAD /nothing HTTP/1.1"})
  void hasNothingAtStrangeAddresses(String requestLine) {
    assertThat(RawHttp.answer(port, requestLine))
        .startsWith("HTTP/1.1 404")
        .contains("Content-Type: application/problem+json\r\n");
  }

  @Test
  void hasNothingWhereTheFrameworkHasItsErrorPage() {
    assertProblem(RawHttp.answer(port, "GET /error HTTP/1.1"), 404, ProblemType.NOT_FOUND);
  }

  private static void assertProblem(String answer, int status, ProblemType type) {
    assertThat(answer)
        .startsWith("HTTP/1.1 %d".formatted(status))
        .contains("Content-Type: application/problem+json\r\n")
        .contains("\"type\":\"%s\"".formatted(type.uri()))
        .contains("\"status\":%d".formatted(status))
        .doesNotContain("<html", "Exception", "Tomcat");
  }
}
