package testbed.aggregator;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.context.annotation.Import;
import testbed.discovery.CinemaDiscovery;

/** Asks every registered cinema and combines the answers. */
@SpringBootApplication
@ConfigurationPropertiesScan
@Import(CinemaDiscovery.class)
public class AggregatorServiceApplication {

  public static void main(String[] args) {
    SpringApplication.run(AggregatorServiceApplication.class, args);
  }
}
