package testbed.gateway;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.test.context.TestPropertySource;
import testbed.contracts.ProblemType;
import testbed.support.testing.RawHttp;

/** A service that stops in the middle of its answer. */
@TestPropertySource(properties = "gateway.route.response-pause=500ms")
class StalledAnswerTest extends RunningGateway {

  private static final String SHORT = "Content-Length: 100";
  private static final String LONG = "Content-Length: 100000";

  @Test
  void isCutOffAtBothSides() throws Exception {
    try (var stalling = RawService.stoppingAfter(head(LONG) + "[{\"id\":")) {
      registerCinema("empire", stalling.address());

      var answer = RawHttp.answer(port, "GET /cinema/empire/movie/list HTTP/1.1");

      assertThat(answer).startsWith("HTTP/1.1 200").endsWith("[{\"id\":");
      assertThat(stalling.ended().await(60, SECONDS)).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "[{\"id\":"})
  void isReportedIfItIsShort(String begin) throws Exception {
    assertReported(head(SHORT) + begin);
  }

  @Test
  void isReportedIfNothingOfItWasPassedOn() throws Exception {
    assertReported(head(LONG));
  }

  private void assertReported(String begin) throws Exception {
    try (var stalling = RawService.stoppingAfter(begin)) {
      registerCinema("astor", stalling.address());

      expectProblem(
          get("/cinema/astor/movie/list"),
          ProblemType.TIME_LIMIT,
          "The answer stopped at its beginning.");
      assertThat(stalling.ended().await(60, SECONDS)).isTrue();
    }
  }

  private static String head(String length) {
    return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n%s\r\n\r\n".formatted(length);
  }
}
