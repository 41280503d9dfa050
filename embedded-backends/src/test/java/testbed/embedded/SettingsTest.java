package testbed.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {

  @Test
  void listensOnTheUsualPortsOfThisMachineOnly() {
    assertThat(Settings.from(Map.of()))
        .isEqualTo(
            new Settings(
                "127.0.0.1", OptionalInt.of(27_017), OptionalInt.of(5_672), Optional.empty()));
  }

  @Test
  void leavesOutWhatIsOff() {
    assertThat(Settings.from(Map.of("EMBEDDED_AMQP_PORT", "off")).amqpPort()).isEmpty();
    assertThat(Settings.from(Map.of("EMBEDDED_MONGODB_PORT", "off")).mongoDbPort()).isEmpty();
  }

  @Test
  void refusesToStartNothing() {
    assertThatExceptionOfType(CannotStart.class)
        .isThrownBy(
            () ->
                Settings.from(Map.of("EMBEDDED_AMQP_PORT", "off", "EMBEDDED_MONGODB_PORT", "off")))
        .withMessageContaining("both off");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "amqp", "-1", "65536", "OFF"})
  void namesThePortThatIsWrongAndWhatItMayBe(String port) {
    assertThatExceptionOfType(CannotStart.class)
        .isThrownBy(() -> Settings.from(Map.of("EMBEDDED_AMQP_PORT", port)))
        .withMessage("EMBEDDED_AMQP_PORT is '%s': set it to a port (0 to 65535) or to off.", port);
  }
}
