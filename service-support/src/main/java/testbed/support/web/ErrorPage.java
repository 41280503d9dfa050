package testbed.support.web;

import io.micrometer.tracing.handler.TracingObservationHandler.TracingContext;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.ServerHttpObservationFilter;
import testbed.contracts.ProblemType;
import testbed.support.problem.Problems;

/**
 * Answers refusals of the container and failures outside of controllers, in place of the
 * framework's error page.
 */
@RestController
class ErrorPage implements ErrorController {

  private static final String PATH = "/error";

  @RequestMapping(PATH)
  ResponseEntity<ProblemDetail> problem(HttpServletRequest request) {
    var problem =
        request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE) instanceof Integer status
            ? Problems.ofStatus(HttpStatusCode.valueOf(status))
            // Not an error dispatch: a client asked for this path.
            : Problems.of(ProblemType.NOT_FOUND, "Nothing is at %s.".formatted(PATH));
    Problems.traced(problem, traceOf(request));
    return ResponseEntity.status(problem.getStatus())
        .contentType(MediaType.APPLICATION_PROBLEM_JSON)
        .body(problem);
  }

  /** The request's span has ended before this error dispatch. */
  private static @Nullable String traceOf(HttpServletRequest request) {
    return ServerHttpObservationFilter.findObservationContext(request)
        .<TracingContext>map(observation -> observation.get(TracingContext.class))
        .map(TracingContext::getSpan)
        .map(span -> span.context().traceId())
        .orElse(null);
  }
}
