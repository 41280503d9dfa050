package testbed.support.client;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import java.security.Principal;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Counts the requests of each client, and the passwords that it sends for each account. Bounded;
 * entries expire. Safe for use by several threads.
 */
public final class ClientRates {

  private static final int CLIENTS = 10_000;

  /** For what is not used. */
  private static final Rate UNLIMITED = new Rate(1, Duration.ofSeconds(1));

  private final boolean limited;
  private final RateLimiterConfig limit;
  private final Cache<String, RateLimiter> clients;
  private final TooManyRequests refusal;

  public ClientRates(ClientSettings settings) {
    var rate = Objects.requireNonNullElse(settings.rateLimit(), UNLIMITED);
    this.limited = settings.rateLimit() != null;
    this.limit =
        RateLimiterConfig.custom()
            .limitForPeriod(rate.requests())
            .limitRefreshPeriod(rate.period())
            .timeoutDuration(Duration.ZERO)
            .build();
    this.clients =
        Caffeine.newBuilder()
            .maximumSize(CLIENTS)
            // Its count would be reset by then.
            .expireAfterAccess(rate.period().multipliedBy(2))
            .build();
    this.refusal = new TooManyRequests(rate);
  }

  /**
   * Counts a request.
   *
   * @param user the account, if any
   * @param address of the client, if known
   * @return the refusal; empty if the request may be carried out
   */
  public Optional<TooManyRequests> refusal(@Nullable Principal user, @Nullable String address) {
    return counted(user == null ? "at " + address : "user " + user.getName());
  }

  /**
   * Counts a password before it is checked: clients that guess at once get no more checks.
   *
   * @param account whose password it should be; need not exist. Counted for each address, so that
   *     nobody locks others out
   * @param address of the client, if known
   * @return the refusal to check it, even if it is the right one
   */
  public Optional<TooManyRequests> refusalToCheck(String account, @Nullable String address) {
    // Names may be long.
    return counted("password of " + account.hashCode() + " at " + address);
  }

  private Optional<TooManyRequests> counted(String name) {
    return !limited || clients.get(name, key -> RateLimiter.of(key, limit)).acquirePermission()
        ? Optional.empty()
        : Optional.of(refusal);
  }
}
