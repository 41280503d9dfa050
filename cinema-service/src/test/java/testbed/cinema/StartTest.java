package testbed.cinema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import testbed.support.preset.InvalidSetting;

class StartTest {

  @Test
  void stopsWithoutATransport() {
    assertStartStops(Map.of("cinema.name", "ucd"), "CINEMA_TRANSPORT is not set");
  }

  @Test
  void stopsOnAnUnknownTransport() {
    assertStartStops(
        Map.of("cinema.name", "ucd", "cinema.transport", "smtp"), "CINEMA_TRANSPORT is 'smtp'");
  }

  @Test
  void stopsOnAnUnknownPreset() {
    assertStartStops(
        Map.of("cinema.name", "ucd", "cinema.transport", "amqp", "testbed.preset", "fast"),
        "TESTBED_PRESET is 'fast'");
  }

  @Test
  void stopsOnANameThatIsNoCinemaName() {
    assertStartStops(
        Map.of("CINEMA_NAME", "U CD", "cinema.transport", "amqp"), "CINEMA_NAME is 'U CD'");
  }

  @ParameterizedTest
  @CsvSource({"http, post", "amqp, inline"})
  void stopsOnTicketsThatItCannotHave(String transport, String tickets) {
    assertStartStops(
        Map.of("cinema.name", "ucd", "cinema.transport", transport, "cinema.tickets", tickets),
        "CINEMA_TICKETS is '%s'".formatted(tickets));
  }

  @ParameterizedTest
  @CsvSource({"tuned, -1us", "tuned, 100001us", "thesis, 180us"})
  void stopsOnAHandicapThatIsNotAllowed(String preset, String handicap) {
    assertStartStops(
        Map.of(
            "cinema.name",
            "ucd",
            "cinema.transport",
            "http",
            "eureka.client.enabled",
            "false",
            "testbed.preset",
            preset,
            "cinema.handicap",
            handicap),
        "CINEMA_HANDICAP is '%s'".formatted(handicap));
  }

  private static void assertStartStops(Map<String, String> settings, String message) {
    var arguments =
        settings.entrySet().stream()
            .map(setting -> "--" + setting.getKey() + "=" + setting.getValue())
            .toArray(String[]::new);
    var application = new SpringApplicationBuilder(CinemaServiceApplication.class);

    assertThatThrownBy(() -> application.run(arguments))
        .satisfies(
            failure ->
                assertThat(rootOf(failure)).isInstanceOf(InvalidSetting.class).hasMessage(message));
  }

  private static Throwable rootOf(Throwable failure) {
    return failure.getCause() == null ? failure : rootOf(failure.getCause());
  }
}
