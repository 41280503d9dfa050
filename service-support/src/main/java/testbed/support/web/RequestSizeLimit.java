package testbed.support.web;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.web.filter.OncePerRequestFilter;
import testbed.contracts.ProblemType;
import testbed.support.problem.Problems;
import tools.jackson.databind.json.JsonMapper;

/**
 * Refuses bodies over a limit: by {@code Content-Length}, or while reading. Also ends a body that
 * comes in too many pieces, or takes too long as a whole; the wait for its next bytes is limited by
 * the server's {@code connection-timeout}. Nor is a body read that has a content coding, as no
 * service decodes any.
 */
@Order(Ordered.HIGHEST_PRECEDENCE + 100)
class RequestSizeLimit extends OncePerRequestFilter {

  /** Any value: the server accepts several spellings of {@code chunked}. */
  private static final String TRANSFER_ENCODING = "Transfer-Encoding";

  private static final String NO_CODING = "identity";

  private final WebSettings settings;
  private final long limitBytes;
  private final @Nullable Duration limitTime;
  private final ProblemResponse refusal;

  RequestSizeLimit(WebSettings settings, JsonMapper json) {
    this.settings = settings;
    this.limitBytes = settings.maxBody().toBytes();
    this.limitTime = settings.bodyTime();
    this.refusal = new ProblemResponse(json);
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    if (request.getContentLengthLong() > limitBytes) {
      refusal.write(
          response, Problems.of(ProblemType.TOO_LARGE, RequestTooLarge.detail(limitBytes)));
    } else if (!hasBody(request)) {
      chain.doFilter(request, response);
    } else if (isCoded(request)) {
      response.setHeader(HttpHeaders.ACCEPT_ENCODING, NO_CODING);
      refusal.write(
          response,
          Problems.of(
              ProblemType.UNSUPPORTED_MEDIA_TYPE, "The body must not have a content coding."));
    } else {
      chain.doFilter(new Limited(request), response);
    }
  }

  private static boolean hasBody(HttpServletRequest request) {
    return request.getContentLengthLong() < 0
        ? request.getHeader(TRANSFER_ENCODING) != null
        : request.getContentLengthLong() > 0;
  }

  private static boolean isCoded(HttpServletRequest request) {
    return request.getHeader(HttpHeaders.CONTENT_ENCODING) != null
        && Collections.list(request.getHeaders(HttpHeaders.CONTENT_ENCODING)).stream()
            .flatMap(line -> Arrays.stream(line.split(",")))
            .map(String::strip)
            .anyMatch(coding -> !coding.isEmpty() && !coding.equalsIgnoreCase(NO_CODING));
  }

  private final class Limited extends HttpServletRequestWrapper {

    Limited(HttpServletRequest request) {
      super(request);
    }

    @Override
    public ServletInputStream getInputStream() throws IOException {
      return new Counting(super.getInputStream());
    }
  }

  private final class Counting extends ServletInputStream {

    private final ServletInputStream body;
    private final BodyPieces pieces = new BodyPieces(settings);
    private final long start = System.nanoTime();
    private long readBytes;

    Counting(ServletInputStream body) {
      this.body = body;
    }

    @Override
    public int read() throws IOException {
      int next = body.read();
      count(next < 0 ? 0 : 1);
      return next;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
      int read = body.read(buffer, offset, length);
      count(Math.max(read, 0));
      // More would have been taken.
      if (read > 0 && read < length && pieces.isOneTooMany(read)) {
        throw RequestTooLarge.inPieces();
      }
      return read;
    }

    private void count(int bytes) throws IOException {
      readBytes += bytes;
      if (readBytes > limitBytes) {
        throw RequestTooLarge.inBytes(limitBytes);
      }
      if (bytes > 0 && limitTime != null && System.nanoTime() - start > limitTime.toNanos()) {
        throw new RequestTooSlow();
      }
    }

    @Override
    public boolean isFinished() {
      return body.isFinished();
    }

    @Override
    public boolean isReady() {
      return body.isReady();
    }

    @Override
    public void setReadListener(ReadListener listener) {
      body.setReadListener(listener);
    }
  }
}
