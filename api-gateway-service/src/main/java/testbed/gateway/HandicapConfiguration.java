package testbed.gateway;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.web.server.WebFilter;
import testbed.support.handicap.Handicap;

@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(HandicapConfiguration.PROPERTY)
class HandicapConfiguration {

  static final String PROPERTY = "gateway.handicap";

  @Bean
  Handicap handicap(GatewaySettings settings, Environment environment) {
    return new Handicap(settings.handicap(), PROPERTY, environment);
  }

  /** Of every request to the published port. */
  @Bean
  WebFilter handicapped(Handicap handicap) {
    return (exchange, chain) -> {
      handicap.burn();
      return chain.filter(exchange);
    };
  }
}
