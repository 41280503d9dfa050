package testbed.broker;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

/** The broker service: one HTTP front door, many cinemas behind queues. */
@SpringBootApplication
@ConfigurationPropertiesScan
public class BrokerServiceApplication {

  public static void main(String[] args) {
    SpringApplication.run(BrokerServiceApplication.class, args);
  }
}
