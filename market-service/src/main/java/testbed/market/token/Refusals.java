package testbed.market.token;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.web.AuthenticationEntryPoint;
import org.springframework.security.web.access.AccessDeniedHandler;
import testbed.support.problem.Problems;
import testbed.support.web.ProblemResponse;
import testbed.tier.token.AccessTokens;
import testbed.tier.token.TokenServerAway;
import tools.jackson.databind.json.JsonMapper;

/** Answers 401 and 403, and 503 while no token can be checked. No body is read for it. */
final class Refusals implements AuthenticationEntryPoint, AccessDeniedHandler {

  private final ProblemResponse refusal;

  Refusals(JsonMapper json) {
    this.refusal = new ProblemResponse(json);
  }

  @Override
  public void commence(
      HttpServletRequest request, HttpServletResponse response, AuthenticationException failure)
      throws IOException {
    if (failure instanceof TokenServerAway away) {
      refusal.write(response, away.refusal());
      return;
    }
    response.setHeader(HttpHeaders.WWW_AUTHENTICATE, AccessTokens.CHALLENGE);
    refusal.write(response, Problems.ofStatus(HttpStatus.UNAUTHORIZED));
  }

  @Override
  public void handle(
      HttpServletRequest request, HttpServletResponse response, AccessDeniedException failure)
      throws IOException {
    refusal.write(response, Problems.ofStatus(HttpStatus.FORBIDDEN));
  }
}
