package testbed.tier.token;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.authority.SimpleGrantedAuthority;
import org.springframework.security.oauth2.core.DelegatingOAuth2TokenValidator;
import org.springframework.security.oauth2.core.OAuth2TokenValidator;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtClaimNames;
import org.springframework.security.oauth2.jwt.JwtClaimValidator;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.security.oauth2.server.resource.authentication.JwtAuthenticationConverter;
import org.springframework.security.oauth2.server.resource.authentication.JwtGrantedAuthoritiesConverter;
import testbed.support.access.Accounts;

/** What an access token must say, and what its client may do then. */
public final class AccessTokens {

  /** The claim with the client's name (RFC 9068). */
  public static final String CLIENT = "client_id";

  /** How names of clients are written: neither colons nor spaces. */
  public static final String NAME = "[A-Za-z0-9][A-Za-z0-9._-]{0,63}";

  /** What a client is told to send, in the header {@code WWW-Authenticate}. */
  public static final String CHALLENGE = "Bearer realm=\"testbed\"";

  private static final int SEPARATORS = 2;
  private static final Pattern NAMED = Pattern.compile(NAME);
  static final String SCOPE = "SCOPE_";
  static final String ADMIN = SCOPE + "admin";
  private static final Set<String> SUBSCRIPTIONS =
      Arrays.stream(Tier.values()).map(Tier::authority).collect(Collectors.toUnmodifiableSet());

  private AccessTokens() {}

  /**
   * Whether a text has the parts of a signed token (RFC 7515, 7.1). An encrypted one has others,
   * and a library takes it for a failure of the token server.
   */
  public static boolean isSigned(String token) {
    return token.chars().filter(character -> character == '.').count() == SEPARATORS;
  }

  /** Issuer, times and client. The signature has been checked before. */
  public static OAuth2TokenValidator<Jwt> validator(String issuer) {
    return new DelegatingOAuth2TokenValidator<>(
        JwtValidators.createDefaultWithIssuer(issuer),
        // The library takes one without an end for valid for ever.
        new JwtClaimValidator<>(JwtClaimNames.EXP, Objects::nonNull),
        new JwtClaimValidator<>(
            CLIENT, name -> name instanceof String text && NAMED.matcher(text).matches()));
  }

  /**
   * Names the client, and gives it the roles of an account beside its scopes: a user's for basic
   * and premium, an administrator's for admin.
   */
  public static JwtAuthenticationConverter converter() {
    var scopes = new JwtGrantedAuthoritiesConverter();
    var converter = new JwtAuthenticationConverter();
    converter.setPrincipalClaimName(CLIENT);
    converter.setJwtGrantedAuthoritiesConverter(
        token -> {
          var granted = new LinkedHashSet<GrantedAuthority>(scopes.convert(token));
          var names = granted.stream().map(GrantedAuthority::getAuthority).toList();
          if (names.contains(ADMIN)) {
            granted.add(new SimpleGrantedAuthority(Accounts.ADMINISTRATOR));
          }
          if (names.contains(ADMIN) || names.stream().anyMatch(SUBSCRIPTIONS::contains)) {
            granted.add(new SimpleGrantedAuthority(Accounts.USER));
          }
          return granted;
        });
    return converter;
  }
}
