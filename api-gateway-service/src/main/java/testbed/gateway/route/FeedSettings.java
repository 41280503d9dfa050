package testbed.gateway.route;

import java.net.URI;
import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.validation.annotation.Validated;

/**
 * The feed of exchange rates.
 *
 * @param url where the feed is; without it there is none. Only with routing {@code stock}
 * @param cache whether its answers are kept
 * @param fresh how long they are kept
 */
@ConfigurationProperties("gateway.feed")
@Validated
record FeedSettings(@Nullable URI url, boolean cache, @DurationMin(seconds = 1) Duration fresh) {}
