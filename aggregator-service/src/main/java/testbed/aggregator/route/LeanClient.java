package testbed.aggregator.route;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.client5.http.impl.DefaultClientConnectionReuseStrategy;
import org.apache.hc.client5.http.io.ConnectionEndpoint;
import org.apache.hc.client5.http.io.HttpClientConnectionManager;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ConnectionRequestTimeoutException;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.HttpStatus;
import org.apache.hc.core5.http.io.HttpClientConnection;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.message.BasicClassicHttpRequest;
import org.apache.hc.core5.http.message.BasicClassicHttpResponse;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClientResponseException;
import testbed.aggregator.AggregatorSettings.Pool;
import testbed.aggregator.movie.CinemaRoute.Question;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;
import testbed.support.deadline.Deadline;
import testbed.support.json.LastMade;
import tools.jackson.databind.json.JsonMapper;

/**
 * Uses the library's connection pool and bypasses the rest of its client. A question is sent at
 * once, and its answer is read when it is wanted, both by the thread that asks: while it reads the
 * first answer, the others are on their way. An answer that is equal to a cinema's last one is not
 * read as JSON again.
 */
class LeanClient implements CinemaClient {

  /** What the library returns while a request has no answer yet. */
  private static final ClassicHttpResponse SENT =
      new BasicClassicHttpResponse(HttpStatus.SC_CONTINUE);

  private final HttpClientConnectionManager connections;
  private final Timeout acquire;
  private final TimeValue idle;
  private final boolean timeTold;
  private final LastMade<CinemaName, byte[], Cinema> read;

  /**
   * @param timeTold whether requests carry the time that is left
   */
  LeanClient(
      HttpClientConnectionManager connections, Pool pool, boolean timeTold, JsonMapper json) {
    this.connections = connections;
    this.acquire = Timeout.of(pool.acquire());
    this.idle = TimeValue.of(pool.idle());
    this.timeTold = timeTold;
    this.read = LastMade.read(json, Cinema.class);
  }

  @Override
  public Question ask(URI address, CinemaName cinema) {
    var server = new HttpHost(address.getScheme(), address.getHost(), address.getPort());
    try {
      var sent = send(server, request(server, cinema));
      return () -> answer(sent, cinema);
    } catch (IOException | HttpException failure) {
      return () -> {
        throw unreachable(server, failure);
      };
    }
  }

  private ClassicHttpRequest request(HttpHost server, CinemaName cinema) {
    var request = new BasicClassicHttpRequest("GET", CinemaClient.path(cinema));
    request.addHeader(HttpHeaders.HOST, server.toHostString());
    request.addHeader(HttpHeaders.ACCEPT, MediaType.APPLICATION_JSON_VALUE);
    var deadline = Deadline.current();
    if (timeTold && deadline != null) {
      request.addHeader(Deadline.HEADER, deadline.told());
    }
    return request;
  }

  private Sent send(HttpHost server, ClassicHttpRequest request) throws IOException, HttpException {
    var sent = new Sent(server, request, connection(server), HttpClientContext.create());
    try {
      if (!sent.connection.isConnected()) {
        connections.connect(sent.connection, null, sent.context);
      }
      sent.connection.execute(server.getHostName(), request, LeanClient::send, sent.context);
      return sent;
    } catch (IOException | HttpException | RuntimeException failure) {
      discard(sent);
      throw failure;
    }
  }

  private ConnectionEndpoint connection(HttpHost server) throws IOException {
    var longest = longestWait();
    try {
      return connections
          .lease(server.getHostName(), new HttpRoute(server), longest, null)
          .get(longest);
    } catch (TimeoutException none) {
      throw new ConnectionRequestTimeoutException(none.getMessage());
    } catch (ExecutionException failed) {
      throw new IOException(failed.getCause());
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("The question was cancelled");
    }
  }

  private Timeout longestWait() {
    var deadline = Deadline.current();
    return deadline == null
        ? acquire
        : Timeout.ofMilliseconds(Math.min(acquire.toMilliseconds(), deadline.millisLeft()));
  }

  private Cinema answer(Sent sent, CinemaName cinema) {
    int status;
    byte[] body;
    try {
      var answer =
          sent.connection.execute(
              sent.server.getHostName(), sent.request, LeanClient::receive, sent.context);
      status = answer.getCode();
      body = EntityUtils.toByteArray(answer.getEntity());
      release(sent, answer);
    } catch (IOException | HttpException failure) {
      discard(sent);
      throw unreachable(sent.server, failure);
    } catch (RuntimeException failure) {
      discard(sent);
      throw failure;
    }
    if (status != HttpStatus.SC_OK) {
      throw new RestClientResponseException(
          "%s answered %d".formatted(cinema, status),
          HttpStatusCode.valueOf(status),
          "",
          HttpHeaders.EMPTY,
          body,
          StandardCharsets.UTF_8);
    }
    return read.of(cinema, body);
  }

  private void release(Sent sent, ClassicHttpResponse answer) {
    if (DefaultClientConnectionReuseStrategy.INSTANCE.keepAlive(
        sent.request, answer, sent.context)) {
      connections.release(sent.connection, null, idle);
    } else {
      discard(sent);
    }
  }

  private void discard(Sent sent) {
    sent.connection.close(CloseMode.IMMEDIATE);
    connections.release(sent.connection, null, TimeValue.ZERO_MILLISECONDS);
  }

  private static ClassicHttpResponse send(
      ClassicHttpRequest request, HttpClientConnection connection, HttpContext context)
      throws IOException, HttpException {
    connection.sendRequestHeader(request);
    connection.flush();
    return SENT;
  }

  private static ClassicHttpResponse receive(
      ClassicHttpRequest request, HttpClientConnection connection, HttpContext context)
      throws IOException, HttpException {
    var answer = connection.receiveResponseHeader();
    connection.receiveResponseEntity(answer);
    return answer;
  }

  private static ResourceAccessException unreachable(HttpHost server, Exception failure) {
    return new ResourceAccessException(
        "%s: %s".formatted(server, failure.getMessage()),
        failure instanceof IOException lost ? lost : new IOException(failure));
  }

  private record Sent(
      HttpHost server,
      ClassicHttpRequest request,
      ConnectionEndpoint connection,
      HttpClientContext context) {}
}
