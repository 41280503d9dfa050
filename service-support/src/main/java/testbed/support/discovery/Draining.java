package testbed.support.discovery;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Makes a service that others ask drain when it stops. */
@AutoConfiguration
@ConditionalOnProperty("testbed.discovery.drain")
@EnableConfigurationProperties(DiscoverySettings.class)
public class Draining {

  @Bean
  Drain drain(DiscoverySettings settings) {
    return new Drain(
        CompletableFuture.delayedExecutor(settings.drain().toMillis(), TimeUnit.MILLISECONDS));
  }
}
