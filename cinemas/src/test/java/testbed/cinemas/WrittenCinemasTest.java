package testbed.cinemas;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;
import testbed.contracts.Movie;
import testbed.contracts.MovieId;
import testbed.contracts.ShowTime;
import testbed.support.json.LastMade;
import tools.jackson.databind.json.JsonMapper;

/** What is made once, and what is made again. */
class WrittenCinemasTest {

  private static final CinemaName UCD = new CinemaName("ucd");

  private final JsonMapper json = JsonMapper.builder().build();
  private final WrittenCinemas written = new WrittenCinemas(json);

  @Test
  void writesListsAsTheMapperDoes() {
    for (var cinemas :
        List.of(
            List.<Cinema>of(),
            List.of(cinema("ucd", "Amélie")),
            List.of(cinema("dundrum", "Solaris"), cinema("ucd", "Amélie")))) {
      assertThat(new String(written.list(cinemas), StandardCharsets.UTF_8))
          .isEqualTo(json.writeValueAsString(cinemas));
    }
  }

  @Test
  void writesTheSameObjectOnceAndAnotherAgain() {
    var first = cinema("ucd", "Solaris");
    var bytes = written.one(first);

    assertThat(written.one(first)).isSameAs(bytes);
    assertThat(new String(written.one(cinema("ucd", "Stalker")), StandardCharsets.UTF_8))
        .contains("Stalker");
  }

  @Test
  void readsEqualBytesOnceAndOthersAgain() {
    var read = LastMade.<CinemaName, Cinema>read(json, Cinema.class);
    var solaris = cinema("ucd", "Solaris");

    var first = read.of(UCD, json.writeValueAsBytes(solaris));

    assertThat(first).isEqualTo(solaris);
    assertThat(read.of(UCD, json.writeValueAsBytes(solaris))).isSameAs(first);
    assertThat(read.of(UCD, json.writeValueAsBytes(cinema("ucd", "Stalker"))).movies())
        .extracting(Movie::name)
        .containsExactly("Stalker");
  }

  @Test
  void remembersNothingOfWhatFails() {
    var tried = new ArrayList<String>();
    var failing =
        new LastMade<CinemaName, String, String>(
            String::equals,
            from -> {
              tried.add(from);
              return String.valueOf(Integer.parseInt(from));
            });

    for (var from : List.of("1", "none", "1", "none")) {
      try {
        failing.of(UCD, from);
      } catch (NumberFormatException expected) {
        // Not made.
      }
    }

    assertThat(tried).containsExactly("1", "none", "none");
  }

  private static Cinema cinema(String name, String movie) {
    return Cinema.of(
        new CinemaName(name),
        List.of(new Movie(new MovieId("M1"), movie, List.of(ShowTime.parse("10:00")))));
  }
}
