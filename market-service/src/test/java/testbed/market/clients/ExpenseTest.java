package testbed.market.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import testbed.support.preset.InvalidSetting;

class ExpenseTest {

  @Test
  void isATimeOfCpuAtAnInterval() {
    assertThat(Expense.valueOf("off")).isEqualTo(Expense.OFF);
    assertThat(Expense.valueOf("0.5:400"))
        .isEqualTo(new Expense(Duration.ofSeconds(2), Duration.ofMillis(400)));
    assertThat(Expense.valueOf("10:9999"))
        .isEqualTo(new Expense(Duration.ofMillis(100), Duration.ofMillis(9_999)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "on",
        "400",
        "0.5",
        "0.5:",
        ":400",
        "0:400",
        "0.0:400",
        "-1:400",
        "100:1",
        "0.5:0",
        "0.5:10000",
        "0.5:1.5",
        "0.5:400ms",
        "0.5 :400",
        "1e1:400"
      })
  void isNothingElse(String text) {
    assertThatThrownBy(() -> Expense.valueOf(text))
        .isInstanceOf(InvalidSetting.class)
        .hasMessageStartingWith("MARKET_NEIGHBOUR is ");
  }
}
