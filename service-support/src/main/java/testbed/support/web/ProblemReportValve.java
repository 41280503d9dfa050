package testbed.support.web;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;
import org.apache.coyote.ActionCode;
import org.apache.coyote.http11.Http11InputBuffer;
import org.apache.tomcat.util.res.StringManager;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.tomcat.TomcatContextCustomizer;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import testbed.support.problem.Problems;
import tools.jackson.databind.json.JsonMapper;

/**
 * Answers requests that Tomcat refuses before filters and controllers: a malformed URI, an unknown
 * method, headers that are too large. Tomcat's own answer would be HTML.
 */
class ProblemReportValve extends ErrorReportValve {

  /** Tomcat's message for too large headers, which have the status of any malformed request. */
  private static final String HEADERS_TOO_LARGE =
      StringManager.getManager(Http11InputBuffer.class)
          .getString("iib.requestheadertoolarge.error");

  private final JsonMapper json;

  ProblemReportValve(JsonMapper json) {
    this.json = json;
  }

  static TomcatContextCustomizer added(JsonMapper json) {
    return context -> context.getParent().getPipeline().addValve(new ProblemReportValve(json));
  }

  @Override
  public void invoke(Request request, Response response) throws IOException, ServletException {
    super.invoke(request, response);
    if (response.getStatus() == HttpServletResponse.SC_REQUEST_TIMEOUT) {
      // Otherwise Tomcat would read the rest of the body, to reuse the connection.
      request.getCoyoteRequest().action(ActionCode.DISABLE_SWALLOW_INPUT, null);
    }
  }

  @Override
  protected void report(Request request, Response response, @Nullable Throwable cause) {
    if (response.getStatus() < HttpServletResponse.SC_BAD_REQUEST
        || response.getContentWritten() > 0
        || !canBeWritten(response)
        || !response.setErrorReported()) {
      return;
    }
    var status =
        cause != null && HEADERS_TOO_LARGE.equals(cause.getMessage())
            ? HttpStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
            : HttpStatusCode.valueOf(response.getStatus());
    try {
      response.setStatus(status.value());
      response.resetBuffer(true);
      response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
      response.getOutputStream().write(json.writeValueAsBytes(Problems.ofStatus(status)));
      response.finishResponse();
    } catch (IOException | IllegalStateException gone) {
      container.getLogger().debug("No error report", gone);
    }
  }

  private static boolean canBeWritten(Response response) {
    var answer = new AtomicBoolean();
    response.getCoyoteResponse().action(ActionCode.IS_IO_ALLOWED, answer);
    return answer.get();
  }
}
