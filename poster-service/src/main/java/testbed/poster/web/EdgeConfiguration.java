package testbed.poster.web;

import io.micrometer.context.ContextExecutorService;
import io.micrometer.context.ContextSnapshotFactory;
import java.net.http.HttpClient;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.springframework.boot.http.client.JdkClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.autoconfigure.ClientHttpRequestFactoryBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import testbed.support.trace.TracingProfile;

@Configuration(proxyBeanMethods = false)
class EdgeConfiguration {

  /** Ends after the work that has been taken over. */
  @Bean
  ExecutorService linkThreads(Environment environment) {
    var threads = Executors.newVirtualThreadPerTaskExecutor();
    // The work is part of the trace of the request that brought it.
    return environment.matchesProfiles(TracingProfile.NAME)
        ? ContextExecutorService.wrap(threads, ContextSnapshotFactory.builder().build())
        : threads;
  }

  /** Otherwise it would offer HTTP/2 with each connection, which the services do not have. */
  @Bean
  ClientHttpRequestFactoryBuilderCustomizer<JdkClientHttpRequestFactoryBuilder> plainHttp() {
    return builder ->
        builder.withHttpClientCustomizer(client -> client.version(HttpClient.Version.HTTP_1_1));
  }
}
