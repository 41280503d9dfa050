package testbed.gateway.breaker;

import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Profile;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferLimitException;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import testbed.contracts.ProblemType;
import testbed.gateway.RoutingProfile;
import testbed.gateway.problem.ProblemResponses;
import testbed.support.web.RequestTooLarge;
import testbed.support.web.RequestTooSlow;
import testbed.support.web.WebSettings;

/** Reads bodies of requests to their end, and refuses those that are too large or too slow. */
@Component
@Profile(RoutingProfile.DIRECT)
class RequestBodies {

  /** What is held at first; grows with the body, not with what its client announces. */
  private static final int USUAL_BYTES = 512;

  private final int limitBytes;
  private final @Nullable Duration limitTime;
  private final ProblemResponses problems;

  RequestBodies(WebSettings settings, ProblemResponses problems) {
    this.limitBytes = Math.toIntExact(settings.maxBody().toBytes());
    this.limitTime = settings.bodyTime();
    this.problems = problems;
  }

  static boolean isIn(ServerHttpRequest request) {
    return request.getHeaders().getContentLength() > 0
        || request.getHeaders().containsHeader(HttpHeaders.TRANSFER_ENCODING);
  }

  /** The body of a request; none if the client was refused. */
  Mono<byte[]> collect(ServerWebExchange exchange) {
    var body =
        exchange
            .getRequest()
            .getBody()
            .collect(() -> new ByteArrayOutputStream(USUAL_BYTES), this::add)
            .map(ByteArrayOutputStream::toByteArray);
    return (limitTime == null ? body : body.timeout(limitTime))
        .onErrorResume(failure -> refuse(exchange, failure).then(Mono.empty()));
  }

  /**
   * Copies a piece, so that no buffer must be released in whatever way the exchange ends. A buffer
   * would also take many times the bytes of a small piece.
   */
  private void add(ByteArrayOutputStream body, DataBuffer piece) {
    try {
      if (piece.readableByteCount() > limitBytes - body.size()) {
        throw new DataBufferLimitException(RequestTooLarge.detail(limitBytes));
      }
      var bytes = new byte[piece.readableByteCount()];
      piece.read(bytes);
      body.writeBytes(bytes);
    } finally {
      DataBufferUtils.release(piece);
    }
  }

  private Mono<Void> refuse(ServerWebExchange exchange, Throwable failure) {
    return switch (failure) {
      case DataBufferLimitException tooLarge ->
          problems.writeLast(exchange, ProblemType.TOO_LARGE, RequestTooLarge.detail(limitBytes));
      case TimeoutException tooSlow ->
          problems.writeLast(exchange, ProblemType.REQUEST_TIMEOUT, RequestTooSlow.DETAIL);
      // The client is gone. The answer is for the metrics.
      default ->
          problems.writeLast(exchange, ProblemType.INVALID_REQUEST, "The body is not complete.");
    };
  }
}
