package testbed.gateway.client;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * The way to the client.
 *
 * @param readTime how long a client may take over a part of its answer, after which its connection
 *     is closed; without it, any time. Each part that is written has a timer
 */
@ConfigurationProperties("gateway.client")
record ClientPatience(@Nullable Duration readTime) {}
