package testbed.aggregator.route;

import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.github.resilience4j.micrometer.tagged.TaggedCircuitBreakerMetrics;
import io.micrometer.context.ContextExecutorService;
import io.micrometer.context.ContextSnapshotFactory;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.httpcomponents.hc5.PoolingHttpClientConnectionManagerMetricsBinder;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executors;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.SchemePortResolver;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.impl.IdleConnectionEvictor;
import org.apache.hc.client5.http.impl.io.DefaultHttpClientConnectionOperator;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.io.DetachedSocketFactory;
import org.apache.hc.client5.http.io.HttpClientConnectionOperator;
import org.apache.hc.client5.http.ssl.TlsSocketStrategy;
import org.apache.hc.core5.http.config.RegistryBuilder;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.boot.http.client.HttpComponentsClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.autoconfigure.ClientHttpRequestFactoryBuilderCustomizer;
import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.http.client.ClientHttpRequest;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;
import testbed.aggregator.AggregatorSettings;
import testbed.aggregator.AggregatorSettings.Client;
import testbed.aggregator.movie.CinemaRoute;
import testbed.aggregator.movie.Movies;
import testbed.discovery.RegisteredCinemas;
import testbed.support.deadline.Deadline;
import testbed.support.deadline.DeadlineSettings;
import testbed.support.handicap.Handicap;
import testbed.support.trace.TracingProfile;
import tools.jackson.databind.json.JsonMapper;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(DeadlineSettings.class)
class RouteConfiguration {

  @Bean
  Handicap handicap(AggregatorSettings settings, Environment environment) {
    return new Handicap(settings.handicap(), "aggregator.handicap", environment);
  }

  @Bean
  Movies movies(
      RegisteredCinemas cinemas,
      CinemaRoute route,
      AggregatorSettings settings,
      Handicap handicap) {
    return new Movies(
        () -> {
          handicap.burn();
          return cinemas.presence();
        },
        route,
        settings.fanOut(),
        settings.deadline());
  }

  @Bean
  CinemaRoute cinemaRoute(
      CinemaClient client,
      RegisteredCinemas cinemas,
      AggregatorSettings settings,
      MeterRegistry meters,
      ObjectProvider<CircuitBreakerRegistry> breakers) {
    CinemaRoute route =
        switch (settings.route()) {
          case DIRECT -> new DirectRoute(client, cinemas::instancesOf);
          case GATEWAY -> new GatewayRoute(client, settings.gatewayUrl());
        };
    var measured = new MeasuredRoute(route, meters);
    var guards = breakers.getIfAvailable();
    return guards == null ? measured : new GuardedRoute(measured, guards);
  }

  @Bean
  CinemaClient cinemaClient(
      AggregatorSettings settings,
      Environment environment,
      ObjectProvider<PoolingHttpClientConnectionManager> connections,
      DeadlineSettings deadlines,
      JsonMapper json,
      RestClient.Builder builder) {
    var traced = environment.matchesProfiles(TracingProfile.NAME);
    return settings.client() == Client.LEAN && !traced
        ? new LeanClient(
            connections.getObject(),
            Objects.requireNonNull(settings.pool()),
            deadlines.handedOn(),
            json)
        : declared(builder, traced);
  }

  private static DeclaredClient declared(RestClient.Builder builder, boolean traced) {
    var threads = Executors.newVirtualThreadPerTaskExecutor();
    return new DeclaredClient(
        HttpServiceProxyFactory.builderFor(RestClientAdapter.create(builder.build()))
            .build()
            .createClient(CinemaApi.class),
        // Questions belong to the trace of the client's request.
        traced
            ? ContextExecutorService.wrap(threads, ContextSnapshotFactory.builder().build())
            : threads);
  }

  /** Tells a cinema how long its caller waits. */
  @Bean
  @ConditionalOnBooleanProperty(DeadlineSettings.HANDED_ON)
  RestClientCustomizer timeTold() {
    return client -> client.requestInitializer(RouteConfiguration::tell);
  }

  private static void tell(ClientHttpRequest question) {
    var deadline = Deadline.current();
    if (deadline != null) {
      question.getHeaders().set(Deadline.HEADER, deadline.told());
    }
  }

  /** The preset's breakers, if it has any. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnBooleanProperty("aggregator.breaker.enabled")
  static class Breakers {

    @Bean
    CircuitBreakerRegistry circuitBreakers(AggregatorSettings settings) {
      return GuardedRoute.breakers(Objects.requireNonNull(settings.breaker()));
    }

    @Bean
    MeterBinder circuitBreakerMeters(CircuitBreakerRegistry breakers) {
      return TaggedCircuitBreakerMetrics.ofCircuitBreakerRegistry(breakers);
    }
  }

  /** Connections whose reads end at the deadline. */
  private static final class DeadlineConnections extends PoolingHttpClientConnectionManagerBuilder {

    @Override
    protected HttpClientConnectionOperator createConnectionOperator(
        SchemePortResolver ports, DnsResolver names, TlsSocketStrategy encryption) {
      return new DefaultHttpClientConnectionOperator(
          (DetachedSocketFactory) proxy -> new DeadlineSocket(),
          ports,
          names,
          RegistryBuilder.<TlsSocketStrategy>create().register("https", encryption).build());
    }
  }

  /** The preset's limits, if it has any; otherwise the client library's own pool is used. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnProperty("aggregator.pool.size")
  static class Connections {

    @Bean
    PoolingHttpClientConnectionManager connectionPool(
        AggregatorSettings settings, HttpClientSettings client) {
      var pool = Objects.requireNonNull(settings.pool());
      return new DeadlineConnections()
          .setMaxConnPerRoute(pool.size())
          .setMaxConnTotal(Integer.MAX_VALUE)
          .setDefaultConnectionConfig(
              ConnectionConfig.custom()
                  .setConnectTimeout(timeout(client.connectTimeout()))
                  .setSocketTimeout(timeout(client.readTimeout()))
                  .setIdleTimeout(Timeout.of(pool.idle()))
                  .setValidateAfterInactivity(TimeValue.ofSeconds(1))
                  .build())
          .build();
    }

    private static @Nullable Timeout timeout(@Nullable Duration limit) {
      return limit == null ? null : Timeout.of(limit);
    }

    /** The pool checks idle connections only when one to the same instance is requested. */
    @Bean(initMethod = "start", destroyMethod = "shutdown")
    IdleConnectionEvictor idleConnections(
        PoolingHttpClientConnectionManager connections, AggregatorSettings settings) {
      var idle = Objects.requireNonNull(settings.pool()).idle();
      return new IdleConnectionEvictor(
          connections, TimeValue.of(idle.dividedBy(2)), TimeValue.of(idle));
    }

    @Bean
    ClientHttpRequestFactoryBuilderCustomizer<HttpComponentsClientHttpRequestFactoryBuilder>
        connectionPoolUsed(
            PoolingHttpClientConnectionManager connections, AggregatorSettings settings) {
      var pool = Objects.requireNonNull(settings.pool());
      return builder ->
          builder
              .withDefaultRequestConfigCustomizer(
                  request -> request.setConnectionRequestTimeout(Timeout.of(pool.acquire())))
              .withHttpClientCustomizer(
                  client ->
                      client
                          .setConnectionManager(connections)
                          // Its own retry waits a second and repeats 503s; the route tries another
                          // instance.
                          .disableAutomaticRetries());
    }

    /** How many connections are in use, and how many requests wait for one. */
    @Bean
    MeterBinder connectionPoolMeters(PoolingHttpClientConnectionManager connections) {
      return new PoolingHttpClientConnectionManagerMetricsBinder(connections, "cinemas");
    }
  }
}
