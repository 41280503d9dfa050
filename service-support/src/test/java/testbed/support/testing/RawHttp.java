package testbed.support.testing;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;

/** Sends what no HTTP client would send. */
public final class RawHttp {

  private static final int PATIENCE_MILLIS = 60_000;
  private static final int TRICKLE_MILLIS = 200;

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
    return exchanged(port, text(requestLine, body, headers));
  }

  /**
   * The whole answer to a request, up to the end of its connection.
   *
   * @param request the bytes as they are sent, one for each character
   */
  public static String exchanged(int port, String request) {
    try (var socket = sent(port, request)) {
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The whole answer to a request whose body comes byte by byte, and would for hours.
   *
   * @param headers as for {@link #answer}, with a large {@code Content-Length}
   */
  public static String answerToTrickle(int port, String requestLine, String... headers) {
    try (var socket = sent(port, text(requestLine, "", headers))) {
      var answer = new ByteArrayOutputStream();
      answer.write(firstAfterTrickle(socket));
      socket.setSoTimeout(PATIENCE_MILLIS);
      try {
        socket.getInputStream().transferTo(answer);
      } catch (SocketException reset) {
        // A byte came when the server had answered and closed: its system resets the connection.
      }
      return answer.toString(StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int firstAfterTrickle(Socket socket) throws IOException {
    socket.setSoTimeout(TRICKLE_MILLIS);
    for (int millis = 0; millis < PATIENCE_MILLIS; millis += TRICKLE_MILLIS) {
      socket.getOutputStream().write('x');
      try {
        return socket.getInputStream().read();
      } catch (SocketTimeoutException none) {
        // The next byte is due.
      }
    }
    throw new SocketTimeoutException("No answer to a body that never ends");
  }

  private static String text(String requestLine, String body, String... headers) {
    return requestLine
        + "\r\nHost: localhost\r\nConnection: close\r\n"
        + String.join("", headers)
        + "\r\n"
        + body;
  }

  private static Socket sent(int port, String request) throws IOException {
    var socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(PATIENCE_MILLIS);
    socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
    return socket;
  }
}
