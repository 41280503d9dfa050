package testbed.gateway.breaker;

import io.netty.handler.codec.http.HttpHeaderNames;
import java.util.Locale;
import java.util.Set;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.NettyDataBufferFactory;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.Connection;
import reactor.netty.http.client.HttpClientResponse;

/**
 * An answer that has begun.
 *
 * @param head its status and headers
 * @param connection over which its body comes
 */
record Answer(HttpClientResponse head, Connection connection) {

  /** Up to this size an answer is passed on in one write in place of three. */
  private static final int AT_ONCE_BYTES = 64 << 10;

  int status() {
    return head.status().code();
  }

  /** Passes the answer on. If that fails, its connection is not used again. */
  Mono<Void> passOn(ServerHttpResponse response) {
    response.setStatusCode(HttpStatusCode.valueOf(status()));
    var nominated = nominated();
    for (var header : head.responseHeaders()) {
      if (isPassedOn(header.getKey(), nominated)) {
        response.getHeaders().add(header.getKey(), header.getValue());
      }
    }
    return written(response)
        .doOnError(
            failure -> {
              connection.dispose();
              if (!response.isCommitted()) {
                takeBack(response);
              }
            })
        .doOnCancel(connection::dispose);
  }

  /** A problem takes its place, without its headers. */
  private void takeBack(ServerHttpResponse response) {
    var nominated = nominated();
    for (var name : head.responseHeaders().names()) {
      if (isPassedOn(name, nominated)) {
        response.getHeaders().remove(name);
      }
    }
  }

  private Set<String> nominated() {
    return ConnectionHeaders.nominated(head.responseHeaders().getAll(ConnectionHeaders.CONNECTION));
  }

  private static boolean isPassedOn(String name, Set<String> nominated) {
    return !ConnectionHeaders.contains(name.toLowerCase(Locale.ROOT), nominated);
  }

  private Mono<Void> written(ServerHttpResponse response) {
    var buffers = (NettyDataBufferFactory) response.bufferFactory();
    var body = connection.inbound().receive();
    if (isSmall()) {
      Mono<DataBuffer> whole = body.aggregate().retain().map(buffers::wrap);
      return response.writeWith(whole);
    }
    Flux<DataBuffer> parts = body.retain().map(buffers::wrap);
    return response.writeWith(parts);
  }

  private boolean isSmall() {
    var bytes = head.responseHeaders().getInt(HttpHeaderNames.CONTENT_LENGTH);
    return bytes != null && bytes <= AT_ONCE_BYTES;
  }
}
