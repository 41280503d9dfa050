package testbed.support.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointAutoConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class ReadinessMeterTest {

  private final AtomicBoolean reachable = new AtomicBoolean(true);
  private final ApplicationContextRunner context =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  HealthContributorAutoConfiguration.class,
                  HealthContributorRegistryAutoConfiguration.class,
                  HealthEndpointAutoConfiguration.class,
                  ServiceMetrics.class))
          .withBean(
              "database",
              HealthIndicator.class,
              () -> () -> reachable.get() ? Health.up().build() : Health.down().build());

  @Test
  void followsTheReadinessGroup() {
    context
        .withPropertyValues("management.endpoint.health.group.readiness.include=database")
        .run(
            started -> {
              var meters = new SimpleMeterRegistry();
              started.getBean(MeterBinder.class).bindTo(meters);
              var ready = meters.get("application.ready").gauge();

              assertThat(ready.value()).isEqualTo(1);
              reachable.set(false);
              assertThat(ready.value()).isZero();
            });
  }

  @Test
  void isNotReadyWithoutAGroupThatSaysSo() {
    context.run(
        started -> {
          var meters = new SimpleMeterRegistry();
          started.getBean(MeterBinder.class).bindTo(meters);

          assertThat(meters.get("application.ready").gauge().value()).isZero();
        });
  }
}
