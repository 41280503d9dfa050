package testbed.broker.access;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.web.AuthenticationEntryPoint;
import org.springframework.security.web.access.AccessDeniedHandler;
import testbed.support.access.Accounts;
import testbed.support.problem.Problems;
import tools.jackson.databind.json.JsonMapper;

/** Answers who may not do what was asked for. The body of the request is not read. */
final class Refusals implements AuthenticationEntryPoint, AccessDeniedHandler {

  private final JsonMapper json;

  Refusals(JsonMapper json) {
    this.json = json;
  }

  @Override
  public void commence(
      HttpServletRequest request, HttpServletResponse response, AuthenticationException refusal)
      throws IOException {
    response.setHeader(HttpHeaders.WWW_AUTHENTICATE, Accounts.CHALLENGE);
    refuse(response, HttpStatus.UNAUTHORIZED);
  }

  @Override
  public void handle(
      HttpServletRequest request, HttpServletResponse response, AccessDeniedException refusal)
      throws IOException {
    refuse(response, HttpStatus.FORBIDDEN);
  }

  private void refuse(HttpServletResponse response, HttpStatus status) throws IOException {
    response.setStatus(status.value());
    response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
    json.writeValue(response.getOutputStream(), Problems.ofStatus(status));
  }
}
