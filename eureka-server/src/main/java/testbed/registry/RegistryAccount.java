package testbed.registry;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import testbed.support.access.Account;

/**
 * The account for registering and for looking services up.
 *
 * @param username the name of the account
 * @param password if there is none, it is {@value #KNOWN_TO_ALL}, and the registry's own port
 *     listens on the loopback address only
 */
@ConfigurationProperties("eureka")
record RegistryAccount(@DefaultValue("testbed") String username, @Nullable String password) {

  private static final String KNOWN_TO_ALL = "testbed";

  boolean hasOwnPassword() {
    return password != null && !password.isBlank();
  }

  Account account() {
    return new Account(
        username, hasOwnPassword() ? Objects.requireNonNull(password) : KNOWN_TO_ALL);
  }
}
