package testbed.support.metrics;

import io.micrometer.core.instrument.config.MeterFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;

/** Leaves out what nobody looks at: each series of a timer is sixteen lines in every scrape. */
@AutoConfiguration
public class LeanMetrics {

  /** Probes and scrapes are no part of a service's work. */
  @Bean
  MeterFilter withoutRequestsOfWatchers() {
    return MeterFilter.deny(
        meter ->
            "http.server.requests".equals(meter.getName())
                && meter.getTag("uri") instanceof String uri
                && uri.startsWith("/actuator"));
  }

  /** The database's driver gives its cluster a new number at each start, and has only one. */
  @Bean
  MeterFilter withoutNumbersOfClusters() {
    return MeterFilter.ignoreTags("cluster.id");
  }
}
