package testbed.cinema;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import testbed.support.handicap.Handicap;

@Configuration(proxyBeanMethods = false)
class HandicapConfiguration {

  @Bean
  Handicap handicap(CinemaSettings settings, Environment environment) {
    return new Handicap(settings.handicap(), "cinema.handicap", environment);
  }
}
