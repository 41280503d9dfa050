package testbed.poster;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

/** Edits posters of films. Its settings say which steps it does and who does the next one. */
@SpringBootApplication
@ConfigurationPropertiesScan
public class PosterServiceApplication {

  public static void main(String[] args) {
    SpringApplication.run(PosterServiceApplication.class, args);
  }
}
