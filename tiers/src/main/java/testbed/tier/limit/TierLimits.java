package testbed.tier.limit;

import io.github.bucket4j.BucketExceptions;
import io.github.bucket4j.TimeMeter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.security.core.Authentication;
import testbed.contracts.ProblemType;
import testbed.support.preset.InvalidSetting;
import testbed.support.problem.ProblemException;
import testbed.tier.token.Tier;
import testbed.tier.token.TokenCheck;
import testbed.tier.token.TokenSettings;

/**
 * Counts the requests of each client, and refuses those beyond the limit of its tier. Safe for use
 * by several threads.
 */
public final class TierLimits implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(TierLimits.class);

  private final Buckets buckets;

  TierLimits(Buckets buckets) {
    this.buckets = buckets;
  }

  /**
   * The limits of a front.
   *
   * @throws InvalidSetting if no tokens are checked: nothing else names a client's tier
   */
  public static TierLimits of(LimitSettings settings, TokenSettings tokens) {
    if (tokens.tokens() == TokenCheck.OFF) {
      throw new InvalidSetting(
          "MARKET_LIMIT",
          settings.limit().name().toLowerCase(Locale.ROOT),
          List.of("off", "any, with MARKET_TOKENS=front or everywhere (a token names the tier)"));
    }
    return new TierLimits(
        settings.limit() == Counting.SHARED
            ? new SharedBuckets(settings.limitDb(), TimeMeter.SYSTEM_MILLISECONDS)
            : new LocalBuckets(TimeMeter.SYSTEM_NANOTIME));
  }

  /** Whether a request waits for a database. */
  public boolean areShared() {
    return buckets.areShared();
  }

  /**
   * Counts a request. Those of administrators, and of clients without a tier, are not counted.
   *
   * @param client as its token names it
   * @return the refusal; empty if the request may be carried out
   */
  public Optional<ProblemException> refusal(Authentication client) {
    return Tier.of(client).flatMap(tier -> refusal(client.getName(), tier));
  }

  Optional<ProblemException> refusal(String client, Tier tier) {
    try {
      var probe = buckets.of(client).tryConsumeAndReturnRemaining(Buckets.cost(tier));
      return probe.isConsumed()
          ? Optional.empty()
          : Optional.of(new LimitReached(tier, Duration.ofNanos(probe.getNanosToWaitForRefill())));
    } catch (BucketExceptions.BucketExecutionException failure) {
      log.warn("Requests cannot be counted: {}", failure.getMessage());
      return Optional.of(new CountAway());
    }
  }

  @Override
  public void close() {
    buckets.close();
  }

  private static final class LimitReached extends ProblemException {

    /** Rounded up: a client that comes too early would be refused again. */
    LimitReached(Tier tier, Duration wait) {
      super(
          ProblemType.TOO_MANY_REQUESTS,
          "A client of tier %s may make %d requests an hour."
              .formatted(tier.scope(), tier.requests()),
          Duration.ofSeconds(wait.plusSeconds(1).minusNanos(1).toSeconds()));
    }
  }

  private static final class CountAway extends ProblemException {

    CountAway() {
      super(
          ProblemType.UNAVAILABLE,
          "The database that counts requests does not answer in time.",
          Duration.ofSeconds(1));
    }
  }
}
