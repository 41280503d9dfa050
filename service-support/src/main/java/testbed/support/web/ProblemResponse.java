package testbed.support.web;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import testbed.support.problem.ProblemException;
import testbed.support.problem.Problems;
import tools.jackson.databind.json.JsonMapper;

/** Writes problems in filters. */
public final class ProblemResponse {

  private final JsonMapper json;

  public ProblemResponse(JsonMapper json) {
    this.json = json;
  }

  /** Answers with the problem and its headers. The response must not be committed. */
  public void write(HttpServletResponse response, ProblemException problem) throws IOException {
    Problems.headers(problem)
        .forEach((name, values) -> response.setHeader(name, values.getFirst()));
    write(response, Problems.of(problem.type(), problem.detail()));
  }

  /** Answers with the problem. The response must not be committed. */
  public void write(HttpServletResponse response, ProblemDetail problem) throws IOException {
    response.setStatus(problem.getStatus());
    response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
    json.writeValue(response.getOutputStream(), problem);
  }
}
