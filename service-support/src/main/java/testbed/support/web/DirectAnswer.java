package testbed.support.web;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Objects;
import java.util.function.Supplier;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.filter.ServerHttpObservationFilter;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.HandlerMapping;

/**
 * Answers a path with JSON that exists as bytes, whatever the client accepts. The framework's
 * dispatcher has the same path; its mappings, arguments and converters cost more than such an
 * answer. What fails is answered by the same advice.
 */
public final class DirectAnswer extends HttpServlet {

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
   * @param answers what the controller of the path answers
   * @param advice for what they throw
   */
  public static ServletRegistrationBean<DirectAnswer> at(
      String path, Supplier<ResponseEntity<byte[]>> answers, HandlerExceptionResolver advice) {
    return new ServletRegistrationBean<>(new DirectAnswer(path, answers, advice), path);
  }

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response)
      throws ServletException, IOException {
    nameInMetrics(request);
    try {
      write(answers.get(), response);
    } catch (RuntimeException failure) {
      if (advice.resolveException(request, response, null, failure) == null) {
        throw failure;
      }
    }
  }

  private void nameInMetrics(HttpServletRequest request) {
    request.setAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE, path);
    ServerHttpObservationFilter.findObservationContext(request)
        .ifPresent(observation -> observation.setPathPattern(path));
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
