package testbed.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import testbed.contracts.ProblemType;
import testbed.support.testing.RawHttp;

/** What comes to no route and no filter. */
class ServerRefusalsTest extends RunningGateway {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /api/%zz HTTP/1.1",
        "GET /api/movie/list?x={} HTTP/1.1",
        "GET /a b HTTP/1.1",
        "nonsense"
      })
  void refusesWhatIsNoRequest(String requestLine) {
    assertProblem(RawHttp.answer(port, requestLine), 400, ProblemType.INVALID_REQUEST);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /%00 HTTP/1.1",
        "GET /%5C.. HTTP/1.1",
        "GET // HTTP/1.1",
        "GET //a//b HTTP/1.1",
        "TRACE / HTTP/1.1"
      })
  void knowsNoRouteForStrangeRequests(String requestLine) {
    assertProblem(RawHttp.answer(port, requestLine, CREDENTIALS), 404, ProblemType.NOT_FOUND);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.0\r\nHost: a\r\nhost: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a:b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n",
        "POST /cinema/ucd/reservation/make HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n"
      })
  void refusesRequestsWithoutOneHost(String request) {
    assertProblem(RawHttp.exchanged(port, request), 400, ProblemType.INVALID_REQUEST);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET / HTTP/1.0\r\n\r\n",
        "GET / HTTP/1.1\r\nConnection: close\r\nHost:\r\n\r\n",
        "GET / HTTP/1.1\r\nConnection: close\r\nHost: [::1]:8099\r\n\r\n",
        "GET / HTTP/1.1\r\nConnection: close\r\nHost: a_b.example.:80\r\n\r\n"
      })
  void takesRequestsWithOneHostOrOfATimeBeforeIt(String request) {
    // They come as far as access control.
    assertThat(RawHttp.exchanged(port, request)).startsWith("HTTP/1.").contains(" 401 ");
  }

  @Test
  void refusesHeadersThatAreTooLarge() {
    var answer = RawHttp.answer(port, "GET / HTTP/1.1", "X: %s\r\n".formatted("x".repeat(20_000)));

    assertProblem(answer, 431, ProblemType.TOO_LARGE);
  }

  @Test
  void answersNoBodyToARequestForTheHeadersOfAnAddressThatIsNone() {
    var answer = RawHttp.answer(port, "HEAD /%zz HTTP/1.1");

    assertThat(answer).startsWith("HTTP/1.1 400").endsWith("\r\n\r\n");
  }

  private static void assertProblem(String answer, int status, ProblemType type) {
    assertThat(answer)
        .startsWith("HTTP/1.1 %d".formatted(status))
        .containsIgnoringCase("Content-Type: application/problem+json\r\n")
        .contains("\"type\":\"%s\"".formatted(type.uri()))
        .contains("\"status\":%d".formatted(status));
  }
}
