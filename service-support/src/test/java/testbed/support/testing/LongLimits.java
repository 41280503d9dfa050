package testbed.support.testing;

import java.util.Map;
import java.util.stream.Collectors;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;

/**
 * Lengthens the time limits of a service's preset: a busy machine must not miss one where an answer
 * is what counts. A limit that a test sets holds. {@link #OFF} leaves the preset's.
 */
public final class LongLimits implements EnvironmentPostProcessor {

  private static final String ON = "testbed.test.long-limits";

  /** For tests of the preset's own limits. */
  public static final String OFF = ON + "=false";

  private static final String LONG = "60s";
  private static final String LONG_MILLIS = "60000";
  private static final String DATABASE = "spring.datasource.hikari.";

  private static final Map<String, Object> LIMITS =
      Map.ofEntries(
          Map.entry("aggregator.deadline", LONG),
          Map.entry("aggregator.pool.acquire", LONG),
          Map.entry("cinema.database.command-timeout", LONG),
          Map.entry("cinema.database.max-wait", LONG),
          Map.entry("gateway.client.first-request-time", LONG),
          Map.entry("gateway.route.response-pause", LONG),
          Map.entry("poster.deadline", LONG),
          Map.entry("poster.max-wait", LONG),
          Map.entry("resilience4j.timelimiter.configs.default.timeout-duration", LONG),
          Map.entry("server.tomcat.connection-timeout", LONG),
          Map.entry("spring.http.clients.connect-timeout", LONG),
          Map.entry("testbed.web.body-time", LONG),
          Map.entry("spring.cloud.gateway.server.webflux.httpclient.connect-timeout", LONG_MILLIS),
          Map.entry(
              "spring.cloud.gateway.server.webflux.httpclient.pool.acquire-timeout", LONG_MILLIS),
          Map.entry(DATABASE + "connection-timeout", LONG_MILLIS),
          Map.entry(
              DATABASE + "data-source-properties.options",
              "-c lock_timeout=60000 -c statement_timeout=60000"),
          // Seconds.
          Map.entry(DATABASE + "data-source-properties.connectTimeout", "60"),
          Map.entry(DATABASE + "data-source-properties.socketTimeout", "120"));

  @Override
  public void postProcessEnvironment(
      ConfigurableEnvironment environment, SpringApplication application) {
    if (!environment.getProperty(ON, Boolean.class, true)) {
      return;
    }
    var ofPreset =
        LIMITS.entrySet().stream()
            .filter(limit -> environment.containsProperty(limit.getKey()))
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    var sources = environment.getPropertySources();
    sources.stream()
        .map(PropertySource::getName)
        .filter(name -> name.startsWith("Config resource"))
        .findFirst()
        .ifPresent(
            preset -> sources.addBefore(preset, new MapPropertySource("long limits", ofPreset)));
  }
}
