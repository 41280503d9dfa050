package testbed.support.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import testbed.contracts.ProblemType;
import testbed.support.testing.RawHttp;

/** What the server takes for a chunked body, on a running server. */
@SpringBootTest(
    classes = RequestSizeLimitTest.Server.class,
    webEnvironment = WebEnvironment.RANDOM_PORT)
class RequestSizeLimitTest {

  private static final int LIMIT_BYTES = 64 * 1024;

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Server {

    @Bean
    Reader reader() {
      return new Reader();
    }
  }

  @RestController
  static class Reader {

    @PostMapping("/read")
    String read(@RequestBody String body) {
      return "%d bytes".formatted(body.length());
    }
  }

  @LocalServerPort int port;

  @ParameterizedTest
  @ValueSource(strings = {"chunked", "Chunked", "chunked,", ",chunked", " chunked , "})
  void refusesAChunkedBodyThatTurnsOutTooLarge(String encoding) {
    assertThat(chunked(encoding, LIMIT_BYTES + 1))
        .startsWith("HTTP/1.1 413")
        .contains("\"type\":\"%s\"".formatted(ProblemType.TOO_LARGE.uri()));
  }

  @Test
  void takesAChunkedBodyOfTheLargestSize() {
    assertThat(chunked("chunked,", LIMIT_BYTES))
        .startsWith("HTTP/1.1 200")
        .contains("%d bytes".formatted(LIMIT_BYTES));
  }

  @Test
  void refusesABodyInTooManyPieces() {
    // The first byte is read alone, to see whether there is a body.
    assertThat(inPieces(2 * LIMIT_BYTES / 64 + 2))
        .startsWith("HTTP/1.1 413")
        .contains("\"type\":\"%s\"".formatted(ProblemType.TOO_LARGE.uri()))
        .contains("too many pieces");
  }

  @Test
  void takesABodyInAsManyPiecesAsMayBe() {
    assertThat(inPieces(2 * LIMIT_BYTES / 64)).startsWith("HTTP/1.1 200");
  }

  private String inPieces(int count) {
    return RawHttp.answerTo(
        port,
        "POST /read HTTP/1.1",
        "1\r\nx\r\n".repeat(count) + "0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n",
        "Content-Type: text/plain\r\n");
  }

  private String chunked(String encoding, int bytes) {
    var body = "%x\r\n%s\r\n0\r\n\r\n".formatted(bytes, "x".repeat(bytes));
    return RawHttp.answerTo(
        port,
        "POST /read HTTP/1.1",
        body,
        "Transfer-Encoding: %s\r\n".formatted(encoding),
        "Content-Type: text/plain\r\n");
  }
}
