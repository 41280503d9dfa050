package testbed.cinema.movie;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.SchedulingConfigurer;

/**
 * Wires the snapshot where the setting asks for it. It is checked at an interval: a change stream
 * would need a replica set, which neither the embedded database nor the one in the containers is.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = "cinema.catalogue-read", havingValue = "snapshot")
@EnableScheduling
class SnapshotConfiguration {

  @Bean
  @Primary
  CatalogueSnapshot catalogueSnapshot(StoredCatalogue stored) {
    return new CatalogueSnapshot(stored);
  }

  @Bean
  SchedulingConfigurer catalogueChecks(CatalogueSnapshot snapshot, CatalogueSettings settings) {
    return tasks -> tasks.addFixedDelayTask(snapshot::check, settings.catalogueCheck());
  }
}
