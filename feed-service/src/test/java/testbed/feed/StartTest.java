package testbed.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.client.RestClient;
import testbed.feed.rate.RateSettings;
import testbed.feed.rate.RateSettings.Keeper;

@ExtendWith(OutputCaptureExtension.class)
class StartTest {

  @ParameterizedTest
  @ValueSource(strings = {"tuned", "thesis"})
  void asksTheSourceEachTimeByDefault(String preset) {
    try (var service = started("testbed.preset=" + preset, "feed.source.refused=0")) {
      assertThat(service.getBean(RateSettings.class))
          .isEqualTo(new RateSettings(Keeper.NONE, Duration.ofSeconds(30), Duration.ZERO, true));
      // Without a limit a connection is kept for as long as its client likes.
      assertThat(service.getEnvironment().getProperty("server.tomcat.max-keep-alive-requests"))
          .isEqualTo(preset.equals("tuned") ? "-1" : null);
      assertThat(body(service, "local.server.port", "/api/rates/eur_usd")).contains("\"EUR\"");
      assertThat(body(service, "local.management.port", "/actuator/health/readiness"))
          .contains("UP");
      assertThat(body(service, "local.management.port", "/actuator/prometheus"))
          .containsPattern("feed_source_seconds_count\\{.*outcome=\"answered\"")
          .containsPattern("feed_source_seconds_bucket\\{.*le=\"0.5\"");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "feed.cache=varnish, feed.cache",
    "feed.fresh=0s, feed.fresh",
    "feed.source.mean=0ms, feed.source.mean",
    "feed.source.refused=1.1, feed.source.refused",
    "feed.source.per-second=-1, feed.source.per"
  })
  void stopsOnASettingThatCannotBe(String setting, String message, CapturedOutput output) {
    assertThatThrownBy(() -> started(setting)).isNotNull();

    assertThat(output).contains(message);
  }

  private static ConfigurableApplicationContext started(String... settings) {
    return new SpringApplicationBuilder(FeedServiceApplication.class)
        .run(
            Stream.concat(
                    Stream.of(settings), Stream.of("server.port=0", "management.server.port=0"))
                .map(setting -> "--" + setting)
                .toArray(String[]::new));
  }

  private static String body(ConfigurableApplicationContext service, String port, String path) {
    var address = "http://localhost:" + service.getEnvironment().getProperty(port) + path;
    return String.valueOf(RestClient.create(address).get().retrieve().body(String.class));
  }
}
