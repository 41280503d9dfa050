package testbed.support.problem;

import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import testbed.contracts.ProblemType;
import testbed.support.log.LoggedTrace;

/** Makes problem details (RFC 9457) of the project's problem types. */
public final class Problems {

  private Problems() {}

  public static ProblemDetail of(ProblemType type, String detail) {
    return as(type, HttpStatusCode.valueOf(type.status()), detail);
  }

  /** A problem whose status at this operation differs from the type's usual one. */
  public static ProblemDetail as(ProblemType type, HttpStatusCode status, String detail) {
    var problem = ProblemDetail.forStatusAndDetail(status, detail);
    problem.setType(type.uri());
    problem.setTitle(type.title());
    return traced(problem, LoggedTrace.id());
  }

  /** Names the trace that the problem is part of, if there is one. */
  public static ProblemDetail traced(ProblemDetail problem, @Nullable String traceId) {
    if (traceId != null) {
      problem.setProperty(LoggedTrace.TRACE, traceId);
    }
    return problem;
  }

  /** When the client may try again, if that is known. */
  public static HttpHeaders headers(ProblemException problem) {
    var headers = new HttpHeaders();
    problem
        .retryAfter()
        .ifPresent(wait -> headers.set(HttpHeaders.RETRY_AFTER, String.valueOf(wait.toSeconds())));
    return headers;
  }

  /** The general problem for an HTTP status that no particular one claims. */
  public static ProblemDetail ofStatus(HttpStatusCode status) {
    var type = ProblemType.ofStatus(status.value());
    return as(type, status, type.title() + ".");
  }
}
