package testbed.support.discovery;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of every service that is found in the registry.
 *
 * @param drain how long an instance goes on serving after SIGTERM, while callers still know it; at
 *     most the 10 s of a shutdown phase
 */
@ConfigurationProperties("testbed.discovery")
record DiscoverySettings(@DefaultValue("0s") Duration drain) {}
