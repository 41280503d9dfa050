package testbed.gateway;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.web.server.WebFilter;
import testbed.support.handicap.Handicap;
import testbed.support.web.ManagementPaths;

@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(HandicapConfiguration.PROPERTY)
class HandicapConfiguration {

  static final String PROPERTY = "gateway.handicap";

  @Bean
  Handicap handicap(GatewaySettings settings, Environment environment) {
    return new Handicap(settings.handicap(), PROPERTY, environment);
  }

  /**
   * Of every request but probes and metrics: the management port has the same filters. Before the
   * routes, which may be a filter that ends the chain.
   */
  @Bean
  @Order(Ordered.LOWEST_PRECEDENCE - 1)
  WebFilter handicapFilter(Handicap handicap) {
    return (exchange, chain) -> {
      if (!ManagementPaths.isOpen(exchange.getRequest().getPath().value())) {
        handicap.burn();
      }
      return chain.filter(exchange);
    };
  }
}
