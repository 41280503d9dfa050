package testbed.aggregator;

import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Positive;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;
import testbed.aggregator.movie.FanOut;
import testbed.support.preset.InvalidSetting;

/**
 * The aggregator's factors and limits.
 *
 * @param fanOut how the cinemas are asked
 * @param route the way to a cinema
 * @param client declared: the framework's client, a thread for each question. lean: the connection
 *     pool alone, on the caller's thread; answers equal to the last are not parsed again. Lean
 *     needs a pool; with traces the declared client is used
 * @param deadline the time for a whole list, from the request to the answer
 * @param gatewayUrl where the gateway is, for the route through it
 * @param pool limits of the connections to each address; default: the client library's
 * @param breaker when a failing cinema is left out; without it every present cinema is asked
 * @param handicap CPU time that each list burns, for experiments with a known difference
 */
@Validated
@ConfigurationProperties("aggregator")
public record AggregatorSettings(
    @NotNull FanOut fanOut,
    @NotNull Route route,
    @NotNull @DefaultValue("declared") Client client,
    @NotNull @DurationMin(millis = 1) Duration deadline,
    @NotNull URI gatewayUrl,
    @Valid @Nullable Pool pool,
    @Valid @Nullable Breaker breaker,
    @DefaultValue("0s") Duration handicap) {

  public AggregatorSettings {
    if (client == Client.LEAN && pool == null) {
      throw new InvalidSetting(
          "AGGREGATOR_CLIENT",
          "lean",
          List.of("declared", "lean with AGGREGATOR_POOL_SIZE, _ACQUIRE and _IDLE"));
    }
  }

  /** What sends questions. */
  public enum Client {
    DECLARED,
    LEAN
  }

  /** The way to a cinema. */
  public enum Route {
    /** Straight to a registered instance. */
    DIRECT,
    /** Through the gateway again, as in thesis, section 4.2.1. */
    GATEWAY
  }

  /**
   * Limits of the connections to one address.
   *
   * @param size connections at most, and so questions at once: one cinema that hangs takes no more
   * @param acquire the longest wait for a connection
   * @param idle how long an unused connection is kept; less than the server keeps it
   */
  public record Pool(
      @Positive int size,
      @NotNull @DurationMin(millis = 1) Duration acquire,
      @NotNull @DurationMin(millis = 1) Duration idle) {}

  /**
   * The circuit breakers of the cinemas, in the terms of {@code resilience4j.circuitbreaker}.
   *
   * @param enabled whether each cinema has a circuit breaker
   * @param slidingWindowSize questions of which a breaker takes the share of failures
   * @param minimumNumberOfCalls questions without which a breaker stays closed
   * @param failureRateThreshold the share of failures, in percent, at which a breaker opens
   * @param waitDurationInOpenState how long an open breaker leaves its cinema out
   * @param permittedNumberOfCallsInHalfOpenState questions that then decide whether it closes
   */
  public record Breaker(
      boolean enabled,
      @Positive int slidingWindowSize,
      @Positive int minimumNumberOfCalls,
      @Positive @Max(100) int failureRateThreshold,
      @NotNull @DurationMin(millis = 1) Duration waitDurationInOpenState,
      @Positive int permittedNumberOfCallsInHalfOpenState) {}
}
