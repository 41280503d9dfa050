package testbed.support.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.http.Outcome;
import io.micrometer.observation.ObservationRegistry;
import jakarta.servlet.FilterChain;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.observation.ServerRequestObservationContext;
import org.springframework.web.filter.ServerHttpObservationFilter;

/**
 * Times requests under the names that the framework's filter gives them, without an observation for
 * each. It has that filter's type, so that the framework leaves its own out.
 */
class RequestTimer extends ServerHttpObservationFilter {

  private static final String START = RequestTimer.class.getName();
  private static final String NONE = "none";
  private static final String UNKNOWN = "UNKNOWN";

  private static final Set<String> METHODS =
      Stream.of(HttpMethod.values()).map(HttpMethod::name).collect(Collectors.toUnmodifiableSet());

  /** The tags of a timer; bounded by the number of paths and statuses. */
  private record Kind(String method, String uri, int status, String exception) {}

  private final MeterRegistry meters;
  private final Map<Kind, Timer> timers = new ConcurrentHashMap<>();

  RequestTimer(MeterRegistry meters) {
    super(ObservationRegistry.NOOP);
    this.meters = meters;
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    // The answer may be given by a later dispatch.
    var start = request.getAttribute(START) instanceof Long noted ? noted : System.nanoTime();
    var context = context(request, response);
    Throwable thrown = null;
    try {
      chain.doFilter(request, response);
    } catch (ServletException | IOException | RuntimeException failure) {
      thrown =
          failure instanceof ServletException wrapper && wrapper.getRootCause() != null
              ? wrapper.getRootCause()
              : failure;
      response.setStatus(HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
      throw failure;
    } finally {
      if (request.isAsyncStarted()) {
        request.setAttribute(START, start);
      } else {
        timers
            .computeIfAbsent(kind(context, request, response, thrown), this::timer)
            .record(System.nanoTime() - start, TimeUnit.NANOSECONDS);
      }
    }
  }

  private Timer timer(Kind kind) {
    return Timer.builder("http.server.requests")
        .tag("error", kind.exception)
        .tag("exception", kind.exception)
        .tag("method", kind.method)
        .tag("outcome", Outcome.forStatus(kind.status).name())
        .tag("status", String.valueOf(kind.status))
        .tag("uri", kind.uri)
        .register(meters);
  }

  /** The attribute in which the handler notes the path pattern, as with an observation. */
  private static ServerRequestObservationContext context(
      HttpServletRequest request, HttpServletResponse response) {
    return findObservationContext(request)
        .orElseGet(
            () -> {
              var context = new ServerRequestObservationContext(request, response);
              request.setAttribute(CURRENT_OBSERVATION_CONTEXT_ATTRIBUTE, context);
              return context;
            });
  }

  private static Kind kind(
      ServerRequestObservationContext context,
      HttpServletRequest request,
      HttpServletResponse response,
      @Nullable Throwable thrown) {
    var status = response.getStatus();
    var failure = thrown == null ? request.getAttribute(RequestDispatcher.ERROR_EXCEPTION) : thrown;
    return new Kind(
        METHODS.contains(request.getMethod()) ? request.getMethod() : UNKNOWN,
        uri(context.getPathPattern(), status),
        status,
        failure == null ? NONE : failure.getClass().getSimpleName());
  }

  private static String uri(@Nullable String path, int status) {
    if (path != null) {
      return path.isEmpty() ? "root" : path;
    }
    if (status == HttpStatus.NOT_FOUND.value()) {
      return "NOT_FOUND";
    }
    return Outcome.forStatus(status) == Outcome.REDIRECTION ? "REDIRECTION" : UNKNOWN;
  }
}
