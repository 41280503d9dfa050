package testbed.support.discovery;

import java.time.Duration;
import java.time.InstantSource;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.cloud.client.discovery.DiscoveryClient;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import testbed.support.presence.KnownCinemas;

/** What a front door that finds cinemas in the registry imports. */
@Configuration(proxyBeanMethods = false)
public class CinemaDiscovery {

  private static final Duration REMEMBERED = Duration.ofHours(1);

  @Bean
  RegisteredCinemas registeredCinemas(DiscoveryClient discovery) {
    // A registered cinema is present whenever it was last seen; the memory is for the others.
    return new RegisteredCinemas(
        discovery, new KnownCinemas(Duration.ZERO, REMEMBERED, InstantSource.system()));
  }

  /** Part of readiness: without the registry's first answer a front door knows nobody. */
  @Bean
  HealthIndicator registryHealthIndicator(RegisteredCinemas cinemas) {
    return () -> (cinemas.fetched() ? Health.up() : Health.outOfService()).build();
  }
}
