package testbed.gateway.route;

import java.util.List;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.cloud.gateway.config.HttpClientCustomizer;
import org.springframework.cloud.gateway.config.HttpClientFactory;
import org.springframework.cloud.gateway.config.HttpClientProperties;
import org.springframework.cloud.gateway.config.HttpClientSslConfigurer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;
import testbed.gateway.RoutingProfile;

/** The gateway library's HTTP client and settings, for routing without the rest of the library. */
@Configuration(proxyBeanMethods = false)
@Profile(RoutingProfile.DIRECT)
@EnableConfigurationProperties(HttpClientProperties.class)
class DirectClient {

  @Bean
  HttpClientFactory gatewayHttpClient(
      HttpClientProperties settings,
      ServerProperties server,
      SslBundles bundles,
      List<HttpClientCustomizer> customizers) {
    return new HttpClientFactory(
        settings,
        server,
        new HttpClientSslConfigurer(settings.getSsl(), server, bundles),
        customizers);
  }
}
