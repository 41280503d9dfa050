package testbed.support.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import testbed.support.preset.InvalidSetting;

class RateTest {

  @Test
  void isReadPerSecondOrMinute() {
    assertThat(Rate.valueOf("50/s")).isEqualTo(new Rate(50, Duration.ofSeconds(1)));
    assertThat(Rate.valueOf("600/min")).isEqualTo(new Rate(600, Duration.ofMinutes(1)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"50", "0/s", "-1/s", "5/h", "1.5/s", "50 /s", "1000000/s"})
  void isNothingElse(String text) {
    assertThatThrownBy(() -> Rate.valueOf(text))
        .isInstanceOf(InvalidSetting.class)
        .hasMessage("TESTBED_CLIENT_RATE_LIMIT is '%s'".formatted(text));
  }
}
