package testbed.token;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.Authentication;
import org.springframework.security.oauth2.server.authorization.authentication.OAuth2ClientAuthenticationToken;
import org.springframework.security.oauth2.server.authorization.authentication.OAuth2ClientCredentialsAuthenticationToken;
import org.springframework.security.oauth2.server.authorization.web.authentication.OAuth2ClientCredentialsAuthenticationConverter;
import org.springframework.security.web.authentication.AuthenticationConverter;

/**
 * Gives a client all of its scopes if it names none, as other token servers do. The library would
 * issue a token without any.
 */
final class OwnScopes implements AuthenticationConverter {

  private final AuthenticationConverter library =
      new OAuth2ClientCredentialsAuthenticationConverter();

  @Override
  public @Nullable Authentication convert(HttpServletRequest request) {
    var asked = library.convert(request);
    if (asked instanceof OAuth2ClientCredentialsAuthenticationToken token
        && token.getScopes().isEmpty()
        && token.getPrincipal() instanceof OAuth2ClientAuthenticationToken client
        && client.getRegisteredClient() != null) {
      return new OAuth2ClientCredentialsAuthenticationToken(
          client, client.getRegisteredClient().getScopes(), token.getAdditionalParameters());
    }
    return asked;
  }
}
