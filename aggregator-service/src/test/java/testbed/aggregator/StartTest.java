package testbed.aggregator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import testbed.aggregator.AggregatorSettings.Breaker;
import testbed.aggregator.AggregatorSettings.Client;
import testbed.aggregator.AggregatorSettings.Pool;
import testbed.aggregator.AggregatorSettings.Route;
import testbed.aggregator.movie.FanOut;
import testbed.support.preset.InvalidSetting;
import testbed.support.testing.LongLimits;

@ExtendWith(OutputCaptureExtension.class)
class StartTest {

  private static final URI GATEWAY = URI.create("http://localhost:8099");

  @Test
  void isTunedByDefault() {
    try (var aggregator = start(LongLimits.OFF)) {
      assertThat(aggregator.getBean(AggregatorSettings.class))
          .isEqualTo(
              new AggregatorSettings(
                  FanOut.PARALLEL,
                  Route.DIRECT,
                  Client.LEAN,
                  Duration.ofMillis(4500),
                  GATEWAY,
                  new Pool(150, Duration.ofMillis(500), Duration.ofSeconds(30)),
                  new Breaker(true, 100, 20, 50, Duration.ofSeconds(1), 10),
                  Duration.ZERO));
    }
  }

  @Test
  void asksOneAfterAnotherThroughTheGatewayInThePresetThesis() {
    try (var aggregator = start("testbed.preset=thesis", LongLimits.OFF)) {
      assertThat(aggregator.getBean(AggregatorSettings.class))
          .isEqualTo(
              new AggregatorSettings(
                  FanOut.SEQUENTIAL,
                  Route.GATEWAY,
                  Client.DECLARED,
                  Duration.ofSeconds(2),
                  GATEWAY,
                  null,
                  null,
                  Duration.ZERO));
    }
  }

  @Test
  void takesAFactorFromOutsideThePreset() {
    try (var aggregator = start("testbed.preset=thesis", "aggregator.fan-out=parallel")) {
      assertThat(aggregator.getBean(AggregatorSettings.class))
          .returns(FanOut.PARALLEL, AggregatorSettings::fanOut)
          .returns(Route.GATEWAY, AggregatorSettings::route);
    }
  }

  @Test
  void stopsOnAnUnknownPreset() {
    assertThatThrownBy(() -> start("testbed.preset=fast"))
        .isInstanceOf(InvalidSetting.class)
        .hasMessage("TESTBED_PRESET is 'fast'");
  }

  @Test
  void stopsOnAnUnknownFactorValueAndSaysWhichItKnows(CapturedOutput output) {
    assertThatThrownBy(() -> start("aggregator.fan-out=both")).isNotNull();

    assertThat(output)
        .contains("aggregator.fan-out", "\"both\"", "The following values are valid:")
        .contains("PARALLEL", "SEQUENTIAL");
  }

  @Test
  void stopsOnALeanClientWithoutAPool() {
    assertThatThrownBy(() -> start("testbed.preset=thesis", "aggregator.client=lean"))
        .hasRootCauseInstanceOf(InvalidSetting.class)
        .rootCause()
        .hasMessage("AGGREGATOR_CLIENT is 'lean'");
  }

  @Test
  void startsALeanClientWithAPoolInThePresetThesis() {
    try (var aggregator =
        start(
            "testbed.preset=thesis",
            "aggregator.client=lean",
            "aggregator.pool.size=10",
            "aggregator.pool.acquire=1s",
            "aggregator.pool.idle=30s")) {
      assertThat(aggregator.getBean(AggregatorSettings.class).client()).isEqualTo(Client.LEAN);
    }
  }

  @Test
  void stopsOnADeadlineThatIsNone(CapturedOutput output) {
    assertThatThrownBy(() -> start("aggregator.deadline=0s")).isNotNull();

    assertThat(output).contains("aggregator.deadline");
  }

  private static ConfigurableApplicationContext start(String... settings) {
    return new SpringApplicationBuilder(AggregatorServiceApplication.class)
        .web(WebApplicationType.NONE)
        .run(
            Stream.concat(Stream.of("eureka.client.enabled=false"), Arrays.stream(settings))
                .map(setting -> "--" + setting)
                .toArray(String[]::new));
  }
}
