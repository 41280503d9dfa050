package testbed.gateway.client;

import jakarta.validation.constraints.Positive;
import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.validation.annotation.Validated;

/**
 * Limits of a client's connections. What is not set has no limit.
 *
 * @param connections open at most; further ones wait until one is closed. If more than nine tenths
 *     are open, some are closed after their answer, and at the limit all
 * @param firstRequestTime how long a new connection may take to send the head of its first request,
 *     after which it is closed
 * @param readTime how long a client may take over a part of its answer, after which its connection
 *     is closed. Each part that is written has a timer
 */
@ConfigurationProperties("gateway.client")
@Validated
record ClientLimits(
    @Nullable @Positive Integer connections,
    @Nullable @DurationMin(inclusive = false) Duration firstRequestTime,
    @Nullable @DurationMin(inclusive = false) Duration readTime) {}
