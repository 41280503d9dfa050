package testbed.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import testbed.contracts.ProblemType;
import testbed.support.testing.RawHttp;
import testbed.support.testing.StandInServer;

/** Bodies that come in very many pieces. */
class SmallPiecesTest extends RunningGateway {

  /** The limit is 64 bytes a piece and twice the largest body. */
  private static final int MOST = 2 * 64 * 1024 / 64;

  private static final String CHUNK = "1\r\n \r\n";
  private static final String END = "0\r\n\r\n";

  @Test
  void areRefusedHoweverFewBytesTheyHave() {
    registerCinema("ucd");

    // Without the end: what is not read when the connection is closed could cost the answer.
    var answer = answerTo(CHUNK.repeat(MOST + 1), CREDENTIALS);

    assertThat(answer)
        .startsWith("HTTP/1.1 413")
        .containsIgnoringCase("Content-Type: application/problem+json\r\n")
        .contains("\"type\":\"%s\"".formatted(ProblemType.TOO_LARGE.uri()));
    assertThat(service.requests()).isEmpty();
  }

  @Test
  void arePassedOnWholeUpToTheLimit() {
    var bytes = new AtomicInteger();
    service.does(
        request -> {
          bytes.set(request.getRequestBody().readAllBytes().length);
          StandInServer.respond(request, 200, "application/json", "[]");
        });
    registerCinema("ucd");

    assertThat(answerTo(CHUNK.repeat(MOST - 1) + END, CREDENTIALS)).startsWith("HTTP/1.1 200");

    assertThat(bytes).hasValue(MOST - 1);
  }

  @Test
  void endTheConnectionIfNobodyReadsThem() {
    var answer = answerTo(CHUNK.repeat(MOST + 1), "");

    assertThat(answer).startsWith("HTTP/1.1 401").doesNotContain("HTTP/1.1 413");
  }

  /** On a connection that the client would keep. */
  private String answerTo(String body, String credentials) {
    return RawHttp.exchanged(
        port,
        "POST /cinema/ucd/reservation/make HTTP/1.1\r\nHost: localhost\r\n"
            + credentials
            + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n"
            + (body.endsWith(END) ? "Connection: close\r\n\r\n" : "\r\n")
            + body);
  }
}
