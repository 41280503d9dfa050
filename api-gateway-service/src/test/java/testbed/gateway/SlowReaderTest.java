package testbed.gateway;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.springframework.test.context.TestPropertySource;

/** A client that does not read its answer. */
@TestPropertySource(
    properties = {"gateway.client.read-time=300ms", "gateway.route.response-pause=1h"})
class SlowReaderTest extends RunningGateway {

  /** More than the buffers of all sockets on the way hold. */
  private static final int BYTES = 256 << 20;

  private static final byte[] PART = new byte[1 << 20];

  @Test
  void isCutOff() throws Exception {
    var cutOff = new CountDownLatch(1);
    service.does(
        request -> {
          request.sendResponseHeaders(200, BYTES);
          try (var body = request.getResponseBody()) {
            for (int written = 0; written < BYTES; written += PART.length) {
              body.write(PART);
            }
          } catch (IOException closed) {
            cutOff.countDown();
          }
        });
    registerCinema("regal");

    try (var client = new Socket(InetAddress.getLoopbackAddress(), port)) {
      client
          .getOutputStream()
          .write(
              "GET /cinema/regal/movie/list HTTP/1.1\r\nHost: localhost\r\n\r\n"
                  .getBytes(StandardCharsets.US_ASCII));

      assertThat(cutOff.await(60, SECONDS)).isTrue();
    }
  }
}
