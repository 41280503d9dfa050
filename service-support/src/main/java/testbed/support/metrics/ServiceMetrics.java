package testbed.support.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.config.MeterFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.health.actuate.endpoint.HealthDescriptor;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.annotation.Bean;

/** The metrics that every service adds or leaves out. */
@AutoConfiguration(
    afterName =
        "org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointAutoConfiguration")
public class ServiceMetrics {

  private static final String READINESS = "readiness";

  /**
   * Shows readiness among the metrics: {@code application.ready} is 1 when the service's readiness
   * group says so, and 0 otherwise. Asked anew at each scrape.
   */
  @Bean
  @ConditionalOnBean(HealthEndpoint.class)
  MeterBinder applicationReady(HealthEndpoint health) {
    return meters ->
        Gauge.builder("application.ready", health, ServiceMetrics::ready)
            .description("Whether the service is ready to serve")
            .register(meters);
  }

  /**
   * No timers for probes and scrapes: they are not a service's work, and each series of a timer has
   * sixteen lines.
   */
  @Bean
  MeterFilter withoutRequestsOfWatchers() {
    return MeterFilter.deny(
        meter ->
            "http.server.requests".equals(meter.getName())
                && meter.getTag("uri") instanceof String uri
                && uri.startsWith("/actuator"));
  }

  /** The driver has a single cluster and gives it a new id at each start. */
  @Bean
  MeterFilter withoutNumbersOfClusters() {
    return MeterFilter.ignoreTags("cluster.id");
  }

  private static double ready(HealthEndpoint health) {
    return health.healthForPath(READINESS) instanceof HealthDescriptor readiness
            && Status.UP.equals(readiness.getStatus())
        ? 1
        : 0;
  }
}
