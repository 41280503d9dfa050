package testbed.support.discovery;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Makes a registered service drain when it stops. */
@AutoConfiguration
@ConditionalOnProperty(name = "eureka.client.enabled", havingValue = "true")
@EnableConfigurationProperties(DiscoverySettings.class)
public class Draining {

  @Bean
  Drain drain(DiscoverySettings settings) {
    return new Drain(
        CompletableFuture.delayedExecutor(settings.drain().toMillis(), TimeUnit.MILLISECONDS));
  }
}
