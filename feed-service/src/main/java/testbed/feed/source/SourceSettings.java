package testbed.feed.source;

import jakarta.validation.constraints.DecimalMax;
import jakarta.validation.constraints.DecimalMin;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.PositiveOrZero;
import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.validation.annotation.Validated;

/**
 * How the source behaves.
 *
 * @param mean the mean time to an answer
 * @param deviation the standard deviation of that time, which is log-normal
 * @param refused the share of requests that it refuses
 * @param perSecond requests a second that it takes at most; 0 for no limit. It refuses the others
 *     at once
 * @param changesEvery how long a rate stays the same
 * @param seed decides times, refusals and rates
 */
@Validated
@ConfigurationProperties("feed.source")
record SourceSettings(
    @NotNull @DurationMin(millis = 1) Duration mean,
    @NotNull @DurationMin Duration deviation,
    @DecimalMin("0") @DecimalMax("1") double refused,
    @PositiveOrZero int perSecond,
    @NotNull @DurationMin(millis = 1) Duration changesEvery,
    long seed) {}
