package testbed.aggregator.route;

import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;
import org.springframework.boot.http.client.HttpComponentsClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.autoconfigure.ClientHttpRequestFactoryBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;
import testbed.aggregator.AggregatorSettings;
import testbed.aggregator.movie.CinemaRoute;
import testbed.aggregator.movie.Movies;
import testbed.support.discovery.RegisteredCinemas;

@Configuration(proxyBeanMethods = false)
class RouteConfiguration {

  @Bean
  Movies movies(RegisteredCinemas cinemas, CinemaRoute route, AggregatorSettings settings) {
    return new Movies(cinemas::presence, route, settings.fanOut(), settings.deadline());
  }

  @Bean
  CinemaRoute cinemaRoute(CinemaApi api, RegisteredCinemas cinemas, AggregatorSettings settings) {
    return switch (settings.route()) {
      case DIRECT -> new DirectRoute(api, cinemas::instancesOf);
      case GATEWAY -> new GatewayRoute(api, settings.gatewayUrl());
    };
  }

  @Bean
  CinemaApi cinemaApi(RestClient.Builder builder) {
    return HttpServiceProxyFactory.builderFor(RestClientAdapter.create(builder.build()))
        .build()
        .createClient(CinemaApi.class);
  }

  @Bean
  ClientHttpRequestFactoryBuilderCustomizer<HttpComponentsClientHttpRequestFactoryBuilder>
      connectionPool(AggregatorSettings settings) {
    var pool = settings.pool();
    return builder ->
        pool == null
            ? builder
            : builder
                .withConnectionManagerCustomizer(
                    connections ->
                        connections
                            .setMaxConnPerRoute(pool.size())
                            .setMaxConnTotal(Integer.MAX_VALUE))
                .withConnectionConfigCustomizer(
                    connection ->
                        connection
                            .setIdleTimeout(Timeout.of(pool.idle()))
                            .setValidateAfterInactivity(TimeValue.ofSeconds(1)))
                .withDefaultRequestConfigCustomizer(
                    request -> request.setConnectionRequestTimeout(Timeout.of(pool.acquire())))
                // Its own retry waits a second and repeats 503s; the route tries another instance.
                .withHttpClientCustomizer(HttpClientBuilder::disableAutomaticRetries);
  }
}
