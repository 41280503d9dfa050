package testbed.support.web;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.filter.ServerHttpObservationFilter;
import org.springframework.web.servlet.HandlerExceptionResolver;

/**
 * Answers ordinary GET requests of a path with JSON that exists as bytes: mappings, arguments and
 * converters of the framework's dispatcher cost more than such an answer. All other requests go
 * there. What fails is answered by the same advice.
 *
 * <p>Behind all other filters. Interceptors do not see what is answered here.
 */
public final class DirectAnswer extends HttpFilter {

  private static final Set<String> ORDINARY = Set.of("*/*", MediaType.APPLICATION_JSON_VALUE);

  private final String path;
  private final transient Supplier<ResponseEntity<byte[]>> answers;
  private final transient HandlerExceptionResolver advice;

  private DirectAnswer(
      String path, Supplier<ResponseEntity<byte[]>> answers, HandlerExceptionResolver advice) {
    this.path = path;
    this.answers = answers;
    this.advice = advice;
  }

  /**
   * Such a filter.
   *
   * @param answers what the controller of the path answers
   * @param advice for what they throw
   */
  public static FilterRegistrationBean<DirectAnswer> at(
      String path, Supplier<ResponseEntity<byte[]>> answers, HandlerExceptionResolver advice) {
    var filter = new FilterRegistrationBean<>(new DirectAnswer(path, answers, advice));
    filter.addUrlPatterns(path);
    filter.setOrder(Ordered.LOWEST_PRECEDENCE);
    return filter;
  }

  @Override
  protected void doFilter(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (!isOrdinary(request)) {
      chain.doFilter(request, response);
      return;
    }
    ServerHttpObservationFilter.findObservationContext(request)
        .ifPresent(observation -> observation.setPathPattern(path));
    try {
      write(answers.get(), response);
    } catch (RuntimeException failure) {
      if (advice.resolveException(request, response, null, failure) == null) {
        throw failure;
      }
    }
  }

  private boolean isOrdinary(HttpServletRequest request) {
    var accepted = request.getHeader(HttpHeaders.ACCEPT);
    return HttpMethod.GET.name().equals(request.getMethod())
        && path.equals(request.getRequestURI())
        && (accepted == null || ORDINARY.contains(accepted));
  }

  private static void write(ResponseEntity<byte[]> answer, HttpServletResponse response)
      throws IOException {
    var json = Objects.requireNonNull(answer.getBody());
    response.setStatus(answer.getStatusCode().value());
    answer
        .getHeaders()
        .forEach((name, values) -> values.forEach(value -> response.addHeader(name, value)));
    response.setContentType(MediaType.APPLICATION_JSON_VALUE);
    response.setContentLength(json.length);
    response.getOutputStream().write(json);
  }
}
