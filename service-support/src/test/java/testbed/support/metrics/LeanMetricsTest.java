package testbed.support.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class LeanMetricsTest {

  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

  LeanMetricsTest() {
    new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(ServiceMetrics.class))
        .run(
            started ->
                started
                    .getBeanProvider(MeterFilter.class)
                    .forEach(filter -> meters.config().meterFilter(filter)));
  }

  @Test
  void keepsNoRequestsOfProbesAndScrapes() {
    meters.timer("http.server.requests", "uri", "/actuator/prometheus");
    meters.timer("http.server.requests", "uri", "/actuator/health/**");
    meters.timer("http.server.requests", "uri", "/api/movie/list");
    meters.timer("http.server.requests");

    assertThat(meters.getMeters())
        .extracting(meter -> meter.getId().getTag("uri"))
        .containsExactlyInAnyOrder("/api/movie/list", null);
  }

  @Test
  void keepsNoNumbersOfClusters() {
    meters.timer("mongodb.driver.commands", "cluster.id", "6b01d92571e9411c", "command", "find");

    var timer = meters.get("mongodb.driver.commands").tag("command", "find").timer();
    assertThat(timer.getId().getTag("cluster.id")).isNull();
  }
}
