package testbed.registry;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.AuthorityUtils;

/**
 * The account of those who may register and look services up.
 *
 * @param username the name of the account
 * @param password if there is none, it is {@value #KNOWN_TO_ALL}, and the registry listens on the
 *     loopback address only
 */
@ConfigurationProperties("eureka")
record RegistryAccount(@DefaultValue("testbed") String username, @Nullable String password) {

  private static final String KNOWN_TO_ALL = "testbed";

  boolean hasOwnPassword() {
    return password != null && !password.isBlank();
  }

  /**
   * Checks a name and a password. Every service asks each second: a strong hash, which the
   * library's own accounts get after their first login whatever they were given, would take a
   * quarter of a processor.
   *
   * @throws BadCredentialsException if they are not this account's
   */
  Authentication authenticate(Authentication claimed) {
    if (!(same(claimed.getName(), username)
        & same(claimed.getCredentials(), effectivePassword()))) {
      throw new BadCredentialsException("not the account of this registry");
    }
    return UsernamePasswordAuthenticationToken.authenticated(
        username, null, AuthorityUtils.NO_AUTHORITIES);
  }

  private String effectivePassword() {
    return hasOwnPassword() ? Objects.requireNonNull(password) : KNOWN_TO_ALL;
  }

  /** Takes as long whatever differs, and so says nothing of it. */
  private static boolean same(@Nullable Object claimed, String known) {
    return MessageDigest.isEqual(
        String.valueOf(claimed).getBytes(StandardCharsets.UTF_8),
        known.getBytes(StandardCharsets.UTF_8));
  }
}
