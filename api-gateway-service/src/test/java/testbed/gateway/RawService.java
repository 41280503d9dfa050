package testbed.gateway;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A service that breaks off in the middle, in a way that no HTTP server would. */
class RawService implements AutoCloseable {

  private static final String END_OF_HEAD = "\r\n\r\n";

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);
  private final ServerSocket server;

  private RawService(Behaviour behaviour) {
    try {
      server = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    threads.execute(() -> accept(behaviour));
  }

  /** Resets the connection of each request. */
  static RawService resetting() {
    // With no time to linger, closing is a reset.
    return new RawService(connection -> connection.setSoLinger(true, 0));
  }

  /** Begins an answer and then waits until the caller closes the connection. */
  static RawService stoppingAfter(String beginning) {
    return new RawService(
        connection -> {
          connection.getOutputStream().write(beginning.getBytes(StandardCharsets.US_ASCII));
          connection.getInputStream().read();
        });
  }

  /** Begins an answer and then closes the connection. */
  static RawService endingAfter(String beginning) {
    return new RawService(
        connection ->
            connection.getOutputStream().write(beginning.getBytes(StandardCharsets.US_ASCII)));
  }

  URI address() {
    return URI.create("http://127.0.0.1:" + server.getLocalPort());
  }

  /** Counted down when the first request is there. */
  CountDownLatch asked() {
    return asked;
  }

  /** Counted down when the first connection has ended. */
  CountDownLatch ended() {
    return ended;
  }

  private void accept(Behaviour behaviour) {
    try {
      while (true) {
        var connection = server.accept();
        threads.execute(() -> serve(connection, behaviour));
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }

  private void serve(Socket connection, Behaviour behaviour) {
    try (connection) {
      var head = new StringBuilder();
      while (head.indexOf(END_OF_HEAD) < 0) {
        head.append((char) connection.getInputStream().read());
      }
      asked.countDown();
      behaviour.handle(connection);
    } catch (IOException gone) {
      // The caller has closed the connection.
    } finally {
      ended.countDown();
    }
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    threads.shutdownNow();
  }

  @FunctionalInterface
  private interface Behaviour {
    void handle(Socket connection) throws IOException;
  }
}
