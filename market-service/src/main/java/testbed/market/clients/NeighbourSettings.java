package testbed.market.clients;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What the clients do beside the load of other parts.
 *
 * @param neighbour an expensive report: off, or RATE:MS, which is how often in a second, and the
 *     milliseconds of CPU of each
 */
@ConfigurationProperties("market")
record NeighbourSettings(@DefaultValue("off") Expense neighbour) {}
