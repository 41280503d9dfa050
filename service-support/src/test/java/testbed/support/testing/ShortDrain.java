package testbed.support.testing;

import java.util.Map;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/** Shortens the drain of services that have one: no test's service has callers when it ends. */
public final class ShortDrain implements EnvironmentPostProcessor {

  private static final String DRAIN = "testbed.discovery.drain";

  @Override
  public void postProcessEnvironment(
      ConfigurableEnvironment environment, SpringApplication application) {
    if (environment.containsProperty(DRAIN)) {
      environment
          .getPropertySources()
          .addFirst(new MapPropertySource("short drain", Map.of(DRAIN, "10ms")));
    }
  }
}
