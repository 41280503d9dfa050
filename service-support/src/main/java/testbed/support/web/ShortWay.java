package testbed.support.web;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.validation.Validator;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.filter.ServerHttpObservationFilter;
import org.springframework.web.servlet.HandlerExceptionResolver;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Calls a controller for ordinary requests without the framework's dispatcher, argument resolvers
 * and converters. All other requests go the usual way: those with a query, another media type, or
 * an unreadable or invalid body. So all refusals come from there.
 *
 * <p>After all other filters. Interceptors do not see these requests.
 */
public abstract class ShortWay extends HttpFilter {

  private static final Set<String> WANTED = Set.of("*/*", MediaType.APPLICATION_JSON_VALUE);

  private final JsonMapper json;
  private final Validator validator;
  private final HandlerExceptionResolver problems;

  /**
   * @param problems answers exceptions of controllers
   */
  protected ShortWay(JsonMapper json, Validator validator, HandlerExceptionResolver problems) {
    this.json = json;
    this.validator = validator;
    this.problems = problems;
  }

  /**
   * A call of a controller.
   *
   * @param path its pattern, for the metrics
   * @param body its type
   * @param answer calls the controller
   */
  public record Operation<T>(String path, Class<T> body, Function<T, ResponseEntity<?>> answer) {

    /** An operation whose requests have no body. */
    public static Operation<?> without(String path, Supplier<ResponseEntity<?>> answer) {
      return new Operation<>(path, NoBody.class, none -> answer.get());
    }
  }

  /** For requests without a body. */
  private record NoBody() {

    private static final NoBody NONE = new NoBody();
  }

  /** The operation of a request, by method and path; null if it goes the usual way. */
  protected abstract @Nullable Operation<?> operation(HttpServletRequest request);

  @Override
  protected final void doFilter(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    var operation = isOrdinary(request) ? operation(request) : null;
    if (operation == null) {
      chain.doFilter(request, response);
    } else {
      doFilter(operation, request, response, chain);
    }
  }

  private <T> void doFilter(
      Operation<T> operation,
      HttpServletRequest request,
      HttpServletResponse response,
      FilterChain chain)
      throws IOException, ServletException {
    var again = new ReadRequest(request);
    var body =
        operation.body == NoBody.class
            ? operation.body.cast(NoBody.NONE)
            : read(again, operation.body);
    if (body == null) {
      chain.doFilter(again, response);
      return;
    }
    ServerHttpObservationFilter.findObservationContext(request)
        .ifPresent(observation -> observation.setPathPattern(operation.path));
    try {
      write(operation.answer.apply(body), response);
    } catch (RuntimeException problem) {
      if (problems.resolveException(request, response, null, problem) == null) {
        throw problem;
      }
    }
  }

  private static boolean isOrdinary(HttpServletRequest request) {
    var wanted = request.getHeader(HttpHeaders.ACCEPT);
    return request.getQueryString() == null && (wanted == null || WANTED.contains(wanted));
  }

  /** The valid body of a request; null if it has none. */
  private <T> @Nullable T read(ReadRequest request, Class<T> type) {
    if (!MediaType.APPLICATION_JSON_VALUE.equalsIgnoreCase(request.getContentType())) {
      return null;
    }
    try {
      @Nullable T body = json.readValue(request.bytes(), type);
      return body == null || !validator.validate(body).isEmpty() ? null : body;
    } catch (IOException | JacksonException unreadable) {
      return null;
    }
  }

  private void write(ResponseEntity<?> answer, HttpServletResponse response) throws IOException {
    response.setStatus(answer.getStatusCode().value());
    answer
        .getHeaders()
        .forEach((name, values) -> values.forEach(value -> response.addHeader(name, value)));
    var body = answer.getBody();
    if (body == null) {
      return;
    }
    var bytes =
        switch (body) {
          case byte[] written -> written;
          case String text -> text.getBytes(StandardCharsets.UTF_8);
          default -> json.writeValueAsBytes(body);
        };
    if (response.getContentType() == null) {
      response.setContentType(MediaType.APPLICATION_JSON_VALUE);
    }
    response.setContentLength(bytes.length);
    response.getOutputStream().write(bytes);
  }

  /** A request whose body can be read again, or fails again. */
  private static final class ReadRequest extends HttpServletRequestWrapper {

    private @Nullable ReadStream read;

    ReadRequest(HttpServletRequest request) {
      super(request);
    }

    byte[] bytes() throws IOException {
      try {
        // Of a body without a length all is read, into a buffer that is larger than most bodies.
        int length = getContentLength();
        var body = super.getInputStream();
        var bytes = length < 0 ? body.readAllBytes() : body.readNBytes(length);
        read = new ReadStream(bytes, null);
        return bytes;
      } catch (IOException failure) {
        read = new ReadStream(new byte[0], failure);
        throw failure;
      }
    }

    @Override
    public ServletInputStream getInputStream() throws IOException {
      return read == null ? super.getInputStream() : read;
    }
  }

  private static final class ReadStream extends ServletInputStream {

    private final ByteArrayInputStream bytes;
    private final @Nullable IOException failure;

    ReadStream(byte[] bytes, @Nullable IOException failure) {
      this.bytes = new ByteArrayInputStream(bytes);
      this.failure = failure;
    }

    @Override
    public int read() throws IOException {
      if (failure != null) {
        throw failure;
      }
      return bytes.read();
    }

    @Override
    public boolean isFinished() {
      return bytes.available() == 0;
    }

    @Override
    public boolean isReady() {
      return true;
    }

    /**
     * @throws UnsupportedOperationException always: no controller reads a body asynchronously
     */
    @Override
    public void setReadListener(ReadListener listener) {
      throw new UnsupportedOperationException();
    }
  }
}
