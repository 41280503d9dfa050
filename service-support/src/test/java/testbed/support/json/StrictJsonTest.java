package testbed.support.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

class StrictJsonTest {

  private final JsonMapper json = mapper();

  @ParameterizedTest
  @ValueSource(strings = {"2", "2.0", "2.000", "20e-1", "0.2e1", "2E0"})
  void twoIsAnIntegerHoweverItIsWritten(String two) {
    assertThat(json.readValue("{\"tickets\":" + two + "}", Tickets.class))
        .isEqualTo(new Tickets(2));
    assertThat(json.readValue(two, Long.class)).isEqualTo(2);
    assertThat(json.readValue("[" + two + "]", Integer[].class)).containsExactly(2);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2.5",
        "2.0000000000000000000001",
        "1e-999999999",
        "1e999999999",
        "-1e999999999",
        "1e2147483647",
        "2147483648.0",
        "\"2\"",
        "\"2.0\"",
        "true",
        "[2]"
      })
  void whatIsNoIntegerIsRefused(String other) {
    assertThatThrownBy(() -> json.readValue("{\"tickets\":" + other + "}", Tickets.class))
        .isInstanceOf(JacksonException.class);
  }

  @Test
  void aNullStaysOne() {
    assertThat(json.readValue("{\"tickets\":null}", Tickets.class)).isEqualTo(new Tickets(null));
    assertThat(json.readValue("{}", Tickets.class)).isEqualTo(new Tickets(null));
    assertThatThrownBy(() -> json.readValue("{\"seats\":null}", Seats.class))
        .isInstanceOf(JacksonException.class);
  }

  /** The library would read a number as a place in the list of names. */
  @ParameterizedTest
  @ValueSource(strings = {"0", "1", "1.0", "\"1\"", "\"\"", "true", "\"gold\"", "[\"GOLD\"]"})
  void whatIsNoNameIsRefused(String other) {
    assertThat(json.readValue("{\"card\":\"GOLD\"}", Payment.class))
        .isEqualTo(new Payment(Card.GOLD));
    assertThatThrownBy(() -> json.readValue("{\"card\":" + other + "}", Payment.class))
        .isInstanceOf(JacksonException.class);
  }

  private static JsonMapper mapper() {
    var builder = JsonMapper.builder();
    new StrictJson().strictJsonMapper().customize(builder);
    return builder.build();
  }

  record Tickets(@Nullable Integer tickets) {}

  record Seats(int seats) {}

  record Payment(Card card) {}

  enum Card {
    SILVER,
    GOLD
  }
}
