package testbed.support.client;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import java.security.Principal;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Counts the requests of each client. Bounded; entries expire. Safe for use by several threads. */
public final class ClientRates {

  private static final int CLIENTS = 10_000;

  private final RateLimiterConfig limit;
  private final Cache<String, RateLimiter> clients;
  private final TooManyRequests refusal;

  public ClientRates(Rate rate) {
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
    var client = user == null ? "at " + address : "user " + user.getName();
    return clients.get(client, name -> RateLimiter.of(name, limit)).acquirePermission()
        ? Optional.empty()
        : Optional.of(refusal);
  }
}
