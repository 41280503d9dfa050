package testbed.support.client;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Settings of front doors.
 *
 * @param rateLimit the requests that one client may make, such as 50/s or 600/min: a user, or an
 *     address if there is none. Without it, any number
 */
@ConfigurationProperties("testbed.client")
public record ClientSettings(@Nullable Rate rateLimit) {

  /** The setting that switches the limit on. */
  public static final String RATE_LIMIT = "testbed.client.rate-limit";

  static final String VARIABLE = "TESTBED_CLIENT_RATE_LIMIT";
}
