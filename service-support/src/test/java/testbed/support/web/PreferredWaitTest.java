package testbed.support.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PreferredWaitTest {

  private static final Duration LONGEST = Duration.ofSeconds(30);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\u0000',
      value = {
        "wait=10                                  | 10",
        "wait=0                                   | 0",
        "wait = 7                                 | 7",
        "WAIT=7                                   | 7",
        "wait=\"7\"                               | 7",
        "wait=007                                 | 7",
        "wait=30                                  | 30",
        "wait=31                                  | 30",
        "wait=99999999999999999999                | 30",
        "respond-async, wait=10                   | 10",
        "wait=10, respond-async                   | 10",
        "handling=lenient; strict=yes, wait=5     | 5",
        "wait=5; foo=bar                          | 5",
        "note=\"a, wait=9\", wait=3               | 3",
        "note=\"a \\\" , wait=9\", wait=3         | 3",
        "wait=3, wait=9                           | 3"
      })
  void readsTheFirstWait(String header, int seconds) {
    assertThat(PreferredWait.in(List.of(header), LONGEST)).contains(Duration.ofSeconds(seconds));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "wait",
        "wait=",
        "wait=-1",
        "wait=1.5",
        "wait=ten",
        "wait=10s",
        "waiting=10",
        "respond-async",
        "note=\"wait=9\"",
        "wait=\"7",
        "wait=ten, wait=9",
        ",,;=\"\\"
      })
  void ignoresWhatIsNoWait(String header) {
    assertThat(PreferredWait.in(List.of(header), LONGEST)).isEmpty();
  }

  @Test
  void readsSeveralHeaders() {
    assertThat(PreferredWait.in(List.of("respond-async", "wait=4"), LONGEST))
        .contains(Duration.ofSeconds(4));
    assertThat(PreferredWait.in(List.of(), LONGEST)).isEmpty();
  }
}
