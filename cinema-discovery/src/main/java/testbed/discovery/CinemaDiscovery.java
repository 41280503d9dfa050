package testbed.discovery;

import java.time.Duration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.cloud.client.discovery.DiscoveryClient;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import testbed.cinemas.KnownCinemas;
import testbed.cinemas.SteadyClock;

/** Imported by front doors that find cinemas in the registry. */
@Configuration(proxyBeanMethods = false)
public class CinemaDiscovery {

  private static final Duration REMEMBERED = Duration.ofHours(1);

  @Bean
  RegisteredCinemas registeredCinemas(DiscoveryClient discovery) {
    // A registered cinema is present at any time; only cinemas that are gone need remembering.
    return new RegisteredCinemas(
        discovery, new KnownCinemas(Duration.ZERO, REMEMBERED, new SteadyClock()));
  }

  /** Part of readiness: until the registry's first answer a front door knows no cinema. */
  @Bean
  HealthIndicator registryHealthIndicator(RegisteredCinemas cinemas) {
    return () -> (cinemas.fetched() ? Health.up() : Health.outOfService()).build();
  }
}
