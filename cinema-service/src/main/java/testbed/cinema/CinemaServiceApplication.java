package testbed.cinema;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

/** One cinema. The same code is started once for each cinema, with HTTP or AMQP at its edge. */
@SpringBootApplication
@ConfigurationPropertiesScan
public class CinemaServiceApplication {

  public static void main(String[] args) {
    SpringApplication.run(CinemaServiceApplication.class, args);
  }
}
