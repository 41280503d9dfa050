package testbed.support.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Sends what no HTTP client would send. */
public final class RawHttp {

  private static final int PATIENCE_MILLIS = 20_000;

  private RawHttp() {}

  /**
   * The whole answer to a request without a body: status line, headers and body.
   *
   * @param requestLine for example {@code GET / HTTP/1.1}
   * @param headers complete lines, beside {@code Host} and {@code Connection: close}
   */
  public static String answer(int port, String requestLine, String... headers) {
    return answerTo(port, requestLine, "", headers);
  }

  /**
   * The whole answer to a request: status line, headers and body.
   *
   * @param body the bytes as they are sent, chunks and all, one for each character
   */
  public static String answerTo(int port, String requestLine, String body, String... headers) {
    var request =
        requestLine
            + "\r\nHost: localhost\r\nConnection: close\r\n"
            + String.join("", headers)
            + "\r\n"
            + body;
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(PATIENCE_MILLIS);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
