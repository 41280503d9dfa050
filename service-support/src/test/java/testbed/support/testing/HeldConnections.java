package testbed.support.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Clients that keep their connections open. */
public final class HeldConnections implements AutoCloseable {

  /** A whole request; its answer has any status. */
  public static final String REQUEST = "GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n";

  /** The beginning of one. */
  public static final String HALF_A_REQUEST = "GET /not";

  private static final int SOON_MILLIS = 500;
  private static final int PATIENCE_MILLIS = 60_000;

  private final int port;
  private final List<Socket> open = new ArrayList<>();

  public HeldConnections(int port) {
    this.port = port;
  }

  /** Opens a connection and sends on it. */
  public Socket opened(String bytes) throws IOException {
    var socket = new Socket(InetAddress.getLoopbackAddress(), port);
    open.add(socket);
    socket.getOutputStream().write(bytes.getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  /** Opens as many connections and sends on each. */
  public void open(int count, String bytes) throws IOException {
    for (int i = 0; i < count; i++) {
      opened(bytes);
    }
  }

  public void closeFirst() throws IOException {
    open.getFirst().close();
  }

  /** Whether nothing comes for half a second. */
  public static boolean waits(Socket socket) throws IOException {
    socket.setSoTimeout(SOON_MILLIS);
    try {
      socket.getInputStream().read();
      return false;
    } catch (SocketTimeoutException nothing) {
      return true;
    }
  }

  /** Whether an answer comes, sooner or later; false if the connection is closed. */
  public static boolean isAnswered(Socket socket) throws IOException {
    socket.setSoTimeout(PATIENCE_MILLIS);
    return socket.getInputStream().read() == 'H';
  }

  @Override
  public void close() throws IOException {
    for (var socket : open) {
      socket.close();
    }
  }
}
