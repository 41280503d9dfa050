package testbed.token;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.http.server.ServletServerHttpResponse;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.oauth2.core.OAuth2AuthenticationException;
import org.springframework.security.oauth2.core.OAuth2Error;
import org.springframework.security.oauth2.core.OAuth2ErrorCodes;
import org.springframework.security.oauth2.core.http.converter.OAuth2ErrorHttpMessageConverter;
import org.springframework.security.web.AuthenticationEntryPoint;
import org.springframework.security.web.authentication.AuthenticationFailureHandler;

/**
 * Answers what the protocol says (RFC 6749, 5.2): the kind of error and no more. An unknown client
 * gets the answer of a wrong secret.
 */
final class Refusals implements AuthenticationFailureHandler, AuthenticationEntryPoint {

  private final HttpMessageConverter<OAuth2Error> json = new OAuth2ErrorHttpMessageConverter();

  @Override
  public void onAuthenticationFailure(
      HttpServletRequest request, HttpServletResponse response, AuthenticationException failure)
      throws IOException {
    commence(request, response, failure);
  }

  @Override
  public void commence(
      HttpServletRequest request, HttpServletResponse response, AuthenticationException failure)
      throws IOException {
    var error =
        failure instanceof OAuth2AuthenticationException refusal
            ? refusal.getError().getErrorCode()
            : OAuth2ErrorCodes.INVALID_CLIENT;
    switch (error) {
      case OAuth2ErrorCodes.INVALID_CLIENT -> {
        response.setStatus(HttpStatus.UNAUTHORIZED.value());
        response.setHeader(HttpHeaders.WWW_AUTHENTICATE, "Basic realm=\"testbed\"");
      }
      case OAuth2ErrorCodes.TEMPORARILY_UNAVAILABLE -> {
        response.setStatus(HttpStatus.SERVICE_UNAVAILABLE.value());
        response.setHeader(HttpHeaders.RETRY_AFTER, "1");
      }
      default -> response.setStatus(HttpStatus.BAD_REQUEST.value());
    }
    json.write(
        new OAuth2Error(error),
        MediaType.APPLICATION_JSON,
        new ServletServerHttpResponse(response));
  }
}
