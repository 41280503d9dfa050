package testbed.token;

import jakarta.validation.Valid;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.NotNull;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;
import testbed.support.access.Account;

/**
 * Settings of the token server.
 *
 * @param issuer what tokens name as their origin, and where those who check them find the keys
 * @param clients that exist from the start, each as {@code NAME:SECRET:SCOPE}; several scopes are
 *     joined by a plus sign
 * @param account with which the market's clients are added, changed and removed, as {@code
 *     NAME:PASSWORD}; without it they cannot be
 * @param secrets how secrets are hashed: bcrypt, or sha256 for long random secrets only
 * @param life how long a token is valid
 * @param db where clients and the key are stored
 */
@Validated
@ConfigurationProperties("token")
record TokenServiceSettings(
    @NotNull URI issuer,
    @DefaultValue List<ConfiguredClient> clients,
    @Nullable Account account,
    @NotNull SecretHash secrets,
    @NotNull @DurationMin(seconds = 1) Duration life,
    @NotNull @Valid Location db) {

  /**
   * A database, and its account.
   *
   * @param url of the database
   * @param user may create a schema
   * @param password of the user
   */
  record Location(@NotEmpty String url, @NotEmpty String user, @NotNull String password) {}
}
