package testbed.market.between;

import java.net.URI;
import java.net.http.HttpClient;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.http.client.JdkClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.autoconfigure.ClientHttpRequestFactoryBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.client.ClientHttpRequest;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.oauth2.core.OAuth2Token;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;
import testbed.discovery.CinemaDiscovery;
import testbed.discovery.RegisteredCinemas;
import testbed.market.part.Part;
import testbed.market.part.PartOf;
import testbed.support.deadline.Deadline;
import testbed.support.deadline.DeadlineSettings;
import testbed.support.preset.InvalidSetting;
import testbed.tier.token.TokenCheck;
import testbed.tier.token.TokenSettings;

/** The way to an inventory in another process. */
@Configuration(proxyBeanMethods = false)
@PartOf(value = Part.INVENTORY, elsewhere = true)
class RemoteConfiguration {

  /**
   * @throws InvalidSetting if there is neither an address nor a registry
   */
  @Bean
  Inventory inventory(
      InventorySettings settings,
      ObjectProvider<RegisteredCinemas> registry,
      RestClient.Builder client,
      DeadlineSettings deadlines,
      TokenSettings tokens) {
    if (deadlines.handedOn()) {
      client.requestInitializer(RemoteConfiguration::tell);
    }
    if (tokens.tokens() == TokenCheck.EVERYWHERE) {
      client.requestInitializer(RemoteConfiguration::handOn);
    }
    return new RemoteInventory(api(client), instances(settings, registry));
  }

  private static Supplier<List<URI>> instances(
      InventorySettings settings, ObjectProvider<RegisteredCinemas> registry) {
    if (settings.url() != null) {
      var instances = List.of(settings.url());
      return () -> instances;
    }
    var registered =
        Optional.ofNullable(registry.getIfAvailable())
            .orElseThrow(
                () ->
                    new InvalidSetting(
                        "MARKET_INVENTORY_URL",
                        "",
                        List.of("an address", "nothing, with EUREKA_CLIENT_ENABLED=true")));
    return () -> registered.instancesOf(Part.INVENTORY.service());
  }

  static InventoryApi api(RestClient.Builder client) {
    return HttpServiceProxyFactory.builderFor(RestClientAdapter.create(client.build()))
        .build()
        .createClient(InventoryApi.class);
  }

  private static void tell(ClientHttpRequest request) {
    var deadline = Deadline.current();
    if (deadline != null) {
      request.getHeaders().set(Deadline.HEADER, deadline.told());
    }
  }

  /** The other part checks the token of the request that is served here. */
  private static void handOn(ClientHttpRequest request) {
    var client = SecurityContextHolder.getContext().getAuthentication();
    if (client != null && client.getCredentials() instanceof OAuth2Token token) {
      request.getHeaders().setBearerAuth(token.getTokenValue());
    }
  }

  /** Otherwise it would offer HTTP/2, which the services do not have, with each connection. */
  @Bean
  ClientHttpRequestFactoryBuilderCustomizer<JdkClientHttpRequestFactoryBuilder> plainHttp() {
    return builder ->
        builder.withHttpClientCustomizer(client -> client.version(HttpClient.Version.HTTP_1_1));
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnBooleanProperty("eureka.client.enabled")
  @Import(CinemaDiscovery.class)
  static class Registry {}
}
