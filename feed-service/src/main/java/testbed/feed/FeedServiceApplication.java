package testbed.feed;

import java.time.InstantSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.context.annotation.Bean;

/** Serves exchange rates from a slow source that refuses some requests. */
@SpringBootApplication
@ConfigurationPropertiesScan
public class FeedServiceApplication {

  public static void main(String[] args) {
    SpringApplication.run(FeedServiceApplication.class, args);
  }

  @Bean
  InstantSource clock() {
    return InstantSource.system();
  }
}
