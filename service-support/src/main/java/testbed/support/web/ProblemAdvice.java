package testbed.support.web;

import java.net.SocketTimeoutException;
import java.net.URI;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.tomcat.util.http.InvalidParameterException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.web.bind.MethodArgumentNotValidException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;
import org.springframework.web.servlet.resource.NoResourceFoundException;
import testbed.contracts.ProblemType;
import testbed.support.log.LoggedTrace;
import testbed.support.problem.FieldProblem;
import testbed.support.problem.ProblemException;
import testbed.support.problem.Problems;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;

/** Answers every error of a servlet service as a problem detail with one of the fixed types. */
@RestControllerAdvice
class ProblemAdvice extends ResponseEntityExceptionHandler {

  private static final Logger log = LoggerFactory.getLogger(ProblemAdvice.class);
  private static final URI NO_TYPE = URI.create("about:blank");

  @ExceptionHandler
  @Nullable ResponseEntity<Object> problem(ProblemException problem, WebRequest request) {
    return answer(
        problem, Problems.of(problem.type(), problem.detail()), Problems.headers(problem), request);
  }

  @ExceptionHandler
  @Nullable ResponseEntity<Object> parameters(InvalidParameters invalid, WebRequest request) {
    return answer(invalid, invalid(invalid.errors()), request);
  }

  /** Tomcat parses query parameters when the first one is read. */
  @ExceptionHandler
  @Nullable ResponseEntity<Object> unreadableParameters(
      InvalidParameterException unreadable, WebRequest request) {
    int status = unreadable.getErrorCode();
    return answer(
        unreadable,
        Problems.as(
            ProblemType.ofStatus(status),
            HttpStatusCode.valueOf(status),
            "The parameters of the address cannot be read."),
        request);
  }

  /** The library takes a wildcard for a fault of the server. */
  @ExceptionHandler
  @Nullable ResponseEntity<Object> noSingleType(
      IllegalArgumentException fault, WebRequest request) {
    var type = request.getHeader(HttpHeaders.CONTENT_TYPE);
    return type == null || type.indexOf('*') < 0
        ? anythingElse(fault, request)
        : answer(
            fault,
            Problems.of(
                ProblemType.UNSUPPORTED_MEDIA_TYPE, "The Content-Type names no single type."),
            request);
  }

  @ExceptionHandler
  @Nullable ResponseEntity<Object> anythingElse(Exception fault, WebRequest request) {
    log.error("{} failed", describe(request), fault);
    return answer(
        fault, Problems.of(ProblemType.INTERNAL, "The request failed in this service."), request);
  }

  @Override
  protected @Nullable ResponseEntity<Object> handleHttpMessageNotReadable(
      HttpMessageNotReadableException unreadable,
      HttpHeaders headers,
      HttpStatusCode status,
      WebRequest request) {
    for (Throwable cause = unreadable; cause != null; cause = cause.getCause()) {
      if (cause instanceof RequestTooLarge tooLarge) {
        return answer(
            unreadable,
            Problems.of(ProblemType.TOO_LARGE, String.valueOf(tooLarge.getMessage())),
            request);
      }
      if (cause instanceof SocketTimeoutException) {
        // Tomcat has refused the request: ErrorPage answers.
        return null;
      }
      if (cause instanceof RequestTooSlow) {
        return answer(
            unreadable, Problems.of(ProblemType.REQUEST_TIMEOUT, RequestTooSlow.DETAIL), request);
      }
    }
    if (unreadable.getCause() instanceof JacksonException json && !json.getPath().isEmpty()) {
      return answer(unreadable, invalid(List.of(unreadableField(json))), request);
    }
    return answer(
        unreadable,
        Problems.of(
            ProblemType.INVALID_REQUEST,
            "The body is missing, is not valid JSON or names a field twice."),
        request);
  }

  @Override
  protected @Nullable ResponseEntity<Object> handleMethodArgumentNotValid(
      MethodArgumentNotValidException invalid,
      HttpHeaders headers,
      HttpStatusCode status,
      WebRequest request) {
    var errors =
        invalid.getBindingResult().getFieldErrors().stream()
            .map(
                error ->
                    new FieldProblem(error.getField(), String.valueOf(error.getDefaultMessage())))
            .sorted((a, b) -> (a.field() + a.message()).compareTo(b.field() + b.message()))
            .toList();
    return answer(invalid, invalid(errors), request);
  }

  @Override
  protected @Nullable ResponseEntity<Object> handleNoResourceFoundException(
      NoResourceFoundException missing,
      HttpHeaders headers,
      HttpStatusCode status,
      WebRequest request) {
    return answer(
        missing,
        Problems.of(
            ProblemType.NOT_FOUND, "Nothing is at /%s.".formatted(missing.getResourcePath())),
        request);
  }

  /** Gives Spring's own problems our types and details without internals. */
  @Override
  protected ResponseEntity<Object> createResponseEntity(
      @Nullable Object body, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
    if (body instanceof ProblemDetail problem) {
      // A problem without a type is about:blank, which says no more than the status.
      if (problem.getType() == null || NO_TYPE.equals(problem.getType())) {
        var type = ProblemType.ofStatus(status.value());
        problem.setType(type.uri());
        problem.setTitle(type.title());
        Problems.traced(problem, LoggedTrace.id());
      }
      headers.setContentType(MediaType.APPLICATION_PROBLEM_JSON);
    }
    return super.createResponseEntity(body, headers, status, request);
  }

  private @Nullable ResponseEntity<Object> answer(
      Exception cause, ProblemDetail problem, WebRequest request) {
    return answer(cause, problem, new HttpHeaders(), request);
  }

  private @Nullable ResponseEntity<Object> answer(
      Exception cause, ProblemDetail problem, HttpHeaders headers, WebRequest request) {
    return handleExceptionInternal(
        cause, problem, headers, HttpStatusCode.valueOf(problem.getStatus()), request);
  }

  private static ProblemDetail invalid(List<FieldProblem> errors) {
    var problem = Problems.of(ProblemType.INVALID_REQUEST, FieldProblem.listed(errors));
    problem.setProperty("errors", errors);
    return problem;
  }

  private static FieldProblem unreadableField(JacksonException unreadable) {
    var field =
        unreadable.getPath().stream()
            .map(
                step ->
                    step.getPropertyName() == null
                        ? "[%d]".formatted(step.getIndex())
                        : step.getPropertyName())
            .collect(Collectors.joining("."));
    if (unreadable instanceof UnrecognizedPropertyException) {
      return new FieldProblem(field, "is not a known field");
    }
    // Messages of our own value types are for clients; Jackson's messages name classes.
    if (unreadable.getCause() instanceof IllegalArgumentException ours) {
      return new FieldProblem(field, String.valueOf(ours.getMessage()));
    }
    return new FieldProblem(field, "has the wrong type or format");
  }

  private static String describe(WebRequest request) {
    return request instanceof ServletWebRequest web
        ? "%s %s".formatted(web.getHttpMethod(), web.getRequest().getRequestURI())
        : "A request";
  }
}
