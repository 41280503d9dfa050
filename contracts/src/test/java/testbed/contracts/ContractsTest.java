package testbed.contracts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

class ContractsTest {

  private final JsonMapper json = JsonMapper.shared();

  @Test
  void writesACinemaAsTheThesisShowsIt() {
    var cinema =
        Cinema.of(
            new CinemaName("cineworld"),
            List.of(
                new Movie(
                    new MovieId("CNW001"),
                    "The Shawshank Redemption",
                    List.of(ShowTime.parse("10:00"), ShowTime.parse("18:30")))));

    var written = json.writeValueAsString(cinema);

    // The id is the one that thesis, figure 7.9 shows.
    assertThat(written)
        .isEqualTo(
            """
            {"id":"79ba1480-435a-3f13-80a4-1c4d553ee4fe","cinemaName":"cineworld","movies":[{"id":"CNW001",\
            "name":"The Shawshank Redemption","showTimes":["10:00","18:30"]}]}""");
    assertThat(json.readValue(written, Cinema.class)).isEqualTo(cinema);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "UCD", "1cinema", "a/b", "a b", "a.b", "request.to.#"})
  void refusesNamesThatWouldBreakUrlsOrRoutingKeys(String name) {
    assertThat(CinemaName.parse(name)).isEmpty();
    assertThatThrownBy(() -> new CinemaName(name)).isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "18", "24:00", "18:60", "18:00:00", "6pm", "18:00+01:00"})
  void refusesShowTimesThatAreNotHoursAndMinutes(String text) {
    assertThatThrownBy(() -> ShowTime.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "CIRCUIT_OPEN, 503",
    "PORTS_EXHAUSTED, 503",
    "UNAVAILABLE, 503",
    "TIME_LIMIT, 504",
    "NO_ANSWER, 504",
    "SHOWING_UNKNOWN, 422",
    "CORRELATION_EXPIRED, 410",
    "REQUEST_TIMEOUT, 408",
    "CINEMA_UNKNOWN, 404",
    "INVALID_REQUEST, 400"
  })
  void reportsAProblemUnderTheStatusThatClientsAreTold(ProblemType type, int status) {
    assertThat(type.status()).isEqualTo(status);
  }

  @Test
  void namesEveryProblemByAStableUri() {
    assertThat(ProblemType.SHOWING_UNKNOWN.uri())
        .hasToString("urn:testbed:problem:showing-unknown");
    assertThat(json.writeValueAsString(ProblemType.SHOWING_UNKNOWN))
        .isEqualTo("\"showing-unknown\"");
    assertThat(json.readValue("\"showing-unknown\"", ProblemType.class))
        .isEqualTo(ProblemType.SHOWING_UNKNOWN);
  }
}
