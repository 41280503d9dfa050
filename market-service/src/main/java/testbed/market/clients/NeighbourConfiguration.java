package testbed.market.clients;

import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import testbed.market.database.Databases;
import testbed.market.part.Part;
import testbed.market.part.PartOf;

/** Work beside that of requests. */
@Configuration(proxyBeanMethods = false)
@PartOf(Part.CLIENTS)
class NeighbourConfiguration {

  @Bean
  Neighbour neighbour(NeighbourSettings settings, Databases databases, MeterRegistry meters) {
    return new Neighbour(
        settings.neighbour(), new GrowthReport(databases.of(Part.CLIENTS))::csv, meters);
  }
}
