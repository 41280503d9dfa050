package testbed.feed.rate;

import jakarta.validation.constraints.NotNull;
import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.validation.annotation.Validated;

/**
 * How long rates are kept, here or by a cache before this service.
 *
 * @param cache who keeps them: none (nobody here) or service (this service). A cache before this
 *     service is told by Cache-Control
 * @param fresh how long a rate is fresh
 * @param stale how long after that it is still served while it is refreshed or the source refuses
 * @param joined whether requests that come meanwhile wait for the one that already asks the source;
 *     otherwise each asks it. Of the service's own cache only
 */
@Validated
@ConfigurationProperties("feed")
public record RateSettings(
    @NotNull Keeper cache,
    @NotNull @DurationMin(seconds = 1) Duration fresh,
    @NotNull @DurationMin Duration stale,
    boolean joined) {

  /** Who keeps rates. */
  public enum Keeper {
    /** Nobody here: each request asks the source. */
    NONE,
    /** This service. */
    SERVICE
  }
}
