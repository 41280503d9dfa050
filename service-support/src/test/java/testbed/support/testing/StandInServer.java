package testbed.support.testing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** An HTTP server in this JVM that answers every request as the test last said. */
public class StandInServer implements AutoCloseable {

  /** What the server does with a request. */
  @FunctionalInterface
  public interface Behaviour {
    void handle(HttpExchange request) throws IOException;
  }

  /**
   * That are not accepted yet: beyond these, the system drops one, and its client waits a second.
   */
  private static final int WAITING_CONNECTIONS = 1_000;

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final HttpServer server;
  private volatile Behaviour behaviour = request -> respond(request, 404, "text/plain", "");

  public StandInServer() {
    try {
      server =
          HttpServer.create(
              new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), WAITING_CONNECTIONS);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.setExecutor(threads);
    server.createContext(
        "/",
        request -> {
          requests.add("%s %s".formatted(request.getRequestMethod(), request.getRequestURI()));
          behaviour.handle(request);
        });
    server.start();
  }

  public URI address() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** Every request so far, for example {@code GET /cinema/ucd/movie/list}. */
  public List<String> requests() {
    return requests;
  }

  public StandInServer does(Behaviour behaviour) {
    this.behaviour = behaviour;
    return this;
  }

  public StandInServer answers(int status, String contentType, String body) {
    return does(request -> respond(request, status, contentType, body));
  }

  /** A cinema with one movie. */
  public StandInServer answersAsCinema(String name) {
    return answers(200, "application/json", cinema(name));
  }

  /** Takes requests and answers none of them as long as the server lives. */
  public StandInServer isSilent() {
    return does(
        request -> {
          try {
            closed.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
  }

  /** The JSON of a cinema with one movie. */
  public static String cinema(String name) {
    return """
        {"id":"79ba1480-435a-3f13-80a4-1c4d553ee4fe","cinemaName":"%s",\
        "movies":[{"id":"MOV001","name":"The Movie","showTimes":["10:00"]}]}"""
        .formatted(name);
  }

  /** Reads the request to its end and answers it. */
  public static void respond(HttpExchange request, int status, String contentType, String body)
      throws IOException {
    try (request) {
      request.getRequestBody().readAllBytes();
      var bytes = body.getBytes(StandardCharsets.UTF_8);
      request.getResponseHeaders().set("Content-Type", contentType);
      request.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
      request.getResponseBody().write(bytes);
    }
  }

  @Override
  public void close() {
    closed.countDown();
    server.stop(0);
    threads.shutdownNow();
  }
}
