package testbed.token;

import org.jspecify.annotations.Nullable;
import org.springframework.security.oauth2.server.authorization.OAuth2Authorization;
import org.springframework.security.oauth2.server.authorization.OAuth2AuthorizationService;
import org.springframework.security.oauth2.server.authorization.OAuth2TokenType;

/**
 * Forgets tokens once they are issued: whoever checks one needs the key alone. The library's
 * default keeps every token for good.
 */
final class NothingKept implements OAuth2AuthorizationService {

  @Override
  public void save(OAuth2Authorization authorization) {}

  @Override
  public void remove(OAuth2Authorization authorization) {}

  @Override
  public @Nullable OAuth2Authorization findById(String id) {
    return null;
  }

  @Override
  public @Nullable OAuth2Authorization findByToken(String token, @Nullable OAuth2TokenType type) {
    return null;
  }
}
