package testbed.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import testbed.embedded.Settings.PostgreSqlFiles;

class SettingsTest {

  @Test
  void listensOnTheUsualPortsOfThisMachineOnly() {
    assertThat(Settings.from(Map.of()))
        .isEqualTo(
            new Settings(
                "127.0.0.1",
                OptionalInt.of(27_017),
                OptionalInt.of(5_672),
                OptionalInt.empty(),
                Optional.empty(),
                new PostgreSqlFiles(Optional.empty(), Optional.empty(), List.of())));
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
        .withMessageContaining("all off");
  }

  @ParameterizedTest
  @ValueSource(strings = {"Market", "a;b", "a b", "1a", "a,,b"})
  void namesTheDatabaseThatIsWrong(String names) {
    assertThatExceptionOfType(CannotStart.class)
        .isThrownBy(() -> Settings.from(Map.of("EMBEDDED_POSTGRESQL_DATABASES", names)))
        .withMessageStartingWith("EMBEDDED_POSTGRESQL_DATABASES has '");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "amqp", "-1", "65536", "OFF"})
  void namesThePortThatIsWrongAndWhatItMayBe(String port) {
    assertThatExceptionOfType(CannotStart.class)
        .isThrownBy(() -> Settings.from(Map.of("EMBEDDED_AMQP_PORT", port)))
        .withMessage("EMBEDDED_AMQP_PORT is '%s': set it to a port (0 to 65535) or to off.", port);
  }
}
