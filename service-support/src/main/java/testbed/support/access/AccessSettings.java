package testbed.support.access;

import java.net.InetAddress;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import testbed.support.preset.InvalidSetting;

/**
 * Who may do what at a front door.
 *
 * @param control whether accounts are asked for; otherwise every client may do everything
 * @param users the accounts that may make reservations, each as {@code NAME:PASSWORD}
 * @param administrators the accounts that may do everything
 * @param publishedAt the address at which clients reach the front door; the default password is
 *     accepted at a loopback address only
 */
@ConfigurationProperties("access")
public record AccessSettings(
    @DefaultValue("required") AccessControl control,
    @DefaultValue List<Account> users,
    @DefaultValue List<Account> administrators,
    @Nullable InetAddress publishedAt) {

  public AccessSettings {
    if (control == AccessControl.REQUIRED
        && (publishedAt == null || !publishedAt.isLoopbackAddress())
        && Stream.concat(users.stream(), administrators.stream()).anyMatch(Account::isKnownToAll)) {
      throw new InvalidSetting(
          "ACCESS_PUBLISHED_AT",
          publishedAt == null ? "" : publishedAt.getHostAddress(),
          List.of(
              "127.0.0.1 (BIND_ADDRESS in .env)",
              "any address if ACCESS_USERS and ACCESS_ADMINISTRATORS have passwords of their own"));
    }
  }

  public boolean isRequired() {
    return control == AccessControl.REQUIRED;
  }
}
