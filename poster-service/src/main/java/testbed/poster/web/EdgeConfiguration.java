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

  /** Closed after the accepted work is done. Platform threads: editing keeps a processor busy. */
  @Bean
  ExecutorService linkThreads(Environment environment) {
    var threads = Executors.newCachedThreadPool(Thread.ofPlatform().name("link-", 0).factory());
    // The work belongs to the trace of its request.
    return environment.matchesProfiles(TracingProfile.NAME)
        ? ContextExecutorService.wrap(threads, ContextSnapshotFactory.builder().build())
        : threads;
  }

  /** Otherwise it would offer HTTP/2, which the services do not have, with each connection. */
  @Bean
  ClientHttpRequestFactoryBuilderCustomizer<JdkClientHttpRequestFactoryBuilder> plainHttp() {
    return builder ->
        builder.withHttpClientCustomizer(client -> client.version(HttpClient.Version.HTTP_1_1));
  }
}
