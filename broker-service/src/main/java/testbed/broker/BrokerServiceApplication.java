package testbed.broker;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.context.annotation.Import;
import testbed.support.web.FrontDoor;

/** The broker service: one HTTP front door, many cinemas behind queues. */
@SpringBootApplication
@ConfigurationPropertiesScan
@Import(FrontDoor.class)
public class BrokerServiceApplication {

  public static void main(String[] args) {
    SpringApplication.run(BrokerServiceApplication.class, args);
  }
}
