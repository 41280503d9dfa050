package testbed.market;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import testbed.tier.token.TokenSettings;

/** Sells coffee beans: all parts of the market, or some. */
@SpringBootApplication
@ConfigurationPropertiesScan
@EnableConfigurationProperties(TokenSettings.class)
public class MarketServiceApplication {

  public static void main(String[] args) {
    SpringApplication.run(MarketServiceApplication.class, args);
  }
}
