package testbed.token;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;
import org.springframework.security.crypto.password.DelegatingPasswordEncoder;
import org.springframework.security.crypto.password.MessageDigestPasswordEncoder;
import org.springframework.security.crypto.password.PasswordEncoder;

/**
 * Hashes secrets in one way, and checks those that were hashed in another. A stored hash never
 * changes: the library's encoder would have each hashed anew at its first use, with bcrypt.
 */
final class Secrets implements PasswordEncoder {

  private final PasswordEncoder hashes;

  @SuppressWarnings("deprecation") // A fast hash is of use for random secrets.
  Secrets(SecretHash hash) {
    this.hashes =
        new DelegatingPasswordEncoder(
            hash.id(),
            Map.of(
                SecretHash.BCRYPT.id(), new BCryptPasswordEncoder(),
                SecretHash.SHA256.id(), new MessageDigestPasswordEncoder("SHA-256")));
  }

  @Override
  public @Nullable String encode(@Nullable CharSequence secret) {
    return hashes.encode(secret);
  }

  @Override
  public boolean matches(@Nullable CharSequence secret, @Nullable String hash) {
    return hashes.matches(secret, hash);
  }
}
