package testbed.gateway;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What concerns every request.
 *
 * @param handicap CPU time that each request burns, for experiments with a known difference
 */
@ConfigurationProperties("gateway")
record GatewaySettings(@DefaultValue("0s") Duration handicap) {}
