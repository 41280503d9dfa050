package testbed.support.client;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import java.security.Principal;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Counts the requests of each client. Bounded; clients that ask no more are forgotten. Safe for use
 * by several threads.
 */
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
            // By then it may make as many requests as a new one.
            .expireAfterAccess(rate.period().multipliedBy(2))
            .build();
    this.refusal = new TooManyRequests(rate);
  }

  /**
   * Counts a request.
   *
   * @param user who is logged in, if anybody
   * @param address where the request comes from, as far as this is known
   * @return why it is refused; empty if it may be carried out
   */
  public Optional<TooManyRequests> refusal(@Nullable Principal user, @Nullable String address) {
    var client = user == null ? "at " + address : "user " + user.getName();
    return clients.get(client, name -> RateLimiter.of(name, limit)).acquirePermission()
        ? Optional.empty()
        : Optional.of(refusal);
  }
}
