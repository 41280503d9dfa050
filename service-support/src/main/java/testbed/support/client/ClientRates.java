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
 * Counts the requests of each client, and the wrong passwords that it tries. Bounded; entries
 * expire. Safe for use by several threads.
 */
public final class ClientRates {

  private static final int CLIENTS = 10_000;

  private static final Rate UNLIMITED = new Rate(Integer.MAX_VALUE, Duration.ofSeconds(1));

  private final RateLimiterConfig limit;
  private final Cache<String, RateLimiter> clients;
  private final TooManyRequests refusal;

  public ClientRates(ClientSettings settings) {
    var rate = Objects.requireNonNullElse(settings.rateLimit(), UNLIMITED);
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
    return takes(user == null ? "at " + address : "user " + user.getName())
        ? Optional.empty()
        : Optional.of(refusal);
  }

  /**
   * Counts a wrong password.
   *
   * @param account whose password it should be; need not exist
   * @param address of the client, if known
   */
  public void guessed(String account, @Nullable String address) {
    takes(guesses(account, address));
  }

  /** Refuses to check a password, even the right one, after too many wrong ones. */
  public Optional<TooManyRequests> refusalToCheck(String account, @Nullable String address) {
    var guesses = clients.getIfPresent(guesses(account, address));
    return guesses == null || guesses.getMetrics().getAvailablePermissions() > 0
        ? Optional.empty()
        : Optional.of(refusal);
  }

  private boolean takes(String counted) {
    return clients.get(counted, name -> RateLimiter.of(name, limit)).acquirePermission();
  }

  /** Of an account from an address, so that nobody locks others out. Names may be long. */
  private static String guesses(String account, @Nullable String address) {
    return "guesses " + account.hashCode() + " at " + address;
  }
}
