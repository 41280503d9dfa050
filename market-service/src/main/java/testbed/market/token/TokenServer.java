package testbed.market.token;

import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.web.client.HttpClientErrorException.Conflict;
import org.springframework.web.client.RestClientException;
import testbed.market.token.RegistrationApi.Registration;
import testbed.tier.token.TokenServerAway;

/**
 * The clients of the token server. Changes may be sent twice, and in any order: it ignores one that
 * comes after a later one.
 *
 * <p>Each method throws the refusal of {@link TokenServerAway} if the change is not confirmed; it
 * may have been made.
 */
public class TokenServer {

  private static final Logger log = LoggerFactory.getLogger(TokenServer.class);

  private final RegistrationApi api;
  private final AtomicBoolean away = new AtomicBoolean();

  TokenServer(RegistrationApi api) {
    this.api = api;
  }

  /**
   * Adds a client, or changes it.
   *
   * @param version greater than that of each earlier change
   * @param secret null if it stays
   * @return false if the server has a later change, or a client of its own with this name
   */
  public boolean put(
      String name, long version, @Nullable String secret, String scope, boolean enabled) {
    return confirmed(
        () -> api.put(name, new Registration(version, secret, Set.of(scope), enabled)));
  }

  /**
   * Removes a client.
   *
   * @return as {@link #put}
   */
  public boolean remove(String name, long version) {
    return confirmed(() -> api.remove(name, version));
  }

  private boolean confirmed(Runnable change) {
    try {
      change.run();
      away.set(false);
      return true;
    } catch (Conflict superseded) {
      away.set(false);
      return false;
    } catch (RestClientException failure) {
      if (!away.getAndSet(true)) {
        log.warn("The token server takes no changes of clients: {}", failure.getMessage());
      }
      throw new TokenServerAway(failure).refusal();
    }
  }
}
