package testbed.support.discovery;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Settings of every service that others ask.
 *
 * @param drain how long an instance goes on serving after SIGTERM, while callers still know it or
 *     have connections to it; at most the 10 s of a shutdown phase
 */
@ConfigurationProperties("testbed.discovery")
record DiscoverySettings(Duration drain) {}
