package testbed.gateway;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Import;
import testbed.discovery.CinemaDiscovery;
import testbed.support.access.AccessSettings;
import testbed.support.client.ClientRates;
import testbed.support.client.ClientSettings;
import testbed.support.web.WebSettings;
import testbed.tier.token.TokenSettings;

/** The synchronous variant's front door: routes, circuit breakers, fallbacks. */
@SpringBootApplication
@ConfigurationPropertiesScan
@EnableConfigurationProperties({
  WebSettings.class,
  AccessSettings.class,
  ClientSettings.class,
  TokenSettings.class
})
@Import({CinemaDiscovery.class, ClientRates.class})
public class ApiGatewayServiceApplication {

  public static void main(String[] args) {
    SpringApplication.run(ApiGatewayServiceApplication.class, args);
  }
}
