package testbed.support.health;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.health.actuate.endpoint.HealthDescriptor;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.annotation.Bean;

/**
 * Shows readiness among the metrics: {@code application.ready} is 1 when the service's readiness
 * group says so, and 0 otherwise. Asked anew at each scrape.
 */
@AutoConfiguration(
    afterName =
        "org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointAutoConfiguration")
@ConditionalOnBean(HealthEndpoint.class)
public class ReadinessMeter {

  private static final String READINESS = "readiness";

  @Bean
  MeterBinder applicationReady(HealthEndpoint health) {
    return meters ->
        Gauge.builder("application.ready", health, ReadinessMeter::ready)
            .description("Whether the service is ready to serve")
            .register(meters);
  }

  private static double ready(HealthEndpoint health) {
    return health.healthForPath(READINESS) instanceof HealthDescriptor found
            && Status.UP.equals(found.getStatus())
        ? 1
        : 0;
  }
}
