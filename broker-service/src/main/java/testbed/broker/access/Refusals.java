package testbed.broker.access;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.web.AuthenticationEntryPoint;
import org.springframework.security.web.access.AccessDeniedHandler;
import testbed.support.access.Accounts;
import testbed.support.access.GuessedTooOften;
import testbed.support.client.ClientRates;
import testbed.support.client.TooManyRequests;
import testbed.support.problem.Problems;
import testbed.support.web.ProblemResponse;
import tools.jackson.databind.json.JsonMapper;

/**
 * Answers 401 and 403, and 429 to a client that has got too many of them. The body of the refused
 * request is not read.
 */
final class Refusals implements AuthenticationEntryPoint, AccessDeniedHandler {

  private final ClientRates clients;
  private final ProblemResponse refusal;

  Refusals(ClientRates clients, JsonMapper json) {
    this.clients = clients;
    this.refusal = new ProblemResponse(json);
  }

  @Override
  public void commence(
      HttpServletRequest request, HttpServletResponse response, AuthenticationException failure)
      throws IOException {
    var tooMany =
        failure instanceof GuessedTooOften guessed
            ? Optional.of(guessed.refusal())
            : clients.refusal(null, request.getRemoteAddr());
    if (tooMany.isEmpty()) {
      response.setHeader(HttpHeaders.WWW_AUTHENTICATE, Accounts.CHALLENGE);
    }
    write(response, tooMany, HttpStatus.UNAUTHORIZED);
  }

  @Override
  public void handle(
      HttpServletRequest request, HttpServletResponse response, AccessDeniedException failure)
      throws IOException {
    write(
        response,
        clients.refusal(request.getUserPrincipal(), request.getRemoteAddr()),
        HttpStatus.FORBIDDEN);
  }

  private void write(
      HttpServletResponse response, Optional<TooManyRequests> tooMany, HttpStatus otherwise)
      throws IOException {
    if (tooMany.isPresent()) {
      refusal.write(response, tooMany.get());
    } else {
      refusal.write(response, Problems.ofStatus(otherwise));
    }
  }
}
