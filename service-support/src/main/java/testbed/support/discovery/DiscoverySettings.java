package testbed.support.discovery;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of every service that is found in the registry.
 *
 * @param drain how long an instance serves on after it was told to stop, since its callers still
 *     know it; at most the 10 s that a phase of the shutdown may take
 */
@ConfigurationProperties("testbed.discovery")
record DiscoverySettings(@DefaultValue("0s") Duration drain) {}
