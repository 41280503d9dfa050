package testbed.support.handicap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.mock.env.MockEnvironment;
import testbed.support.preset.InvalidSetting;

class HandicapTest {

  @Test
  void keepsItsThreadBusy() {
    var handicap = handicap("tuned", Duration.ofMillis(80));

    var start = System.nanoTime();
    handicap.burn();

    assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(1));
  }

  @ParameterizedTest
  @CsvSource({"tuned, PT0.1S", "tuned, PT0S", "thesis, PT0S"})
  void mayTakeUpToATenthOfASecondOrNoTime(String preset, Duration time) {
    handicap(preset, time).burn();
  }

  @ParameterizedTest
  @CsvSource({"tuned, PT-0.001S", "tuned, PT0.100001S", "thesis, PT0.00018S"})
  void isRefusedOtherwise(String preset, Duration time) {
    assertThatThrownBy(() -> handicap(preset, time))
        .isInstanceOf(InvalidSetting.class)
        .hasMessage("BROKER_HANDICAP is '%s'", time);
  }

  private static Handicap handicap(String preset, Duration time) {
    var environment = new MockEnvironment().withProperty("broker.handicap", time.toString());
    environment.setActiveProfiles(preset);
    return new Handicap(time, "broker.handicap", environment);
  }
}
