package testbed.gateway;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.test.context.TestPropertySource;
import testbed.contracts.ProblemType;
import testbed.support.testing.RawHttp;

/** A service that stops in the middle of its answer. */
@TestPropertySource(properties = "gateway.route.response-pause=500ms")
class StalledAnswerTest extends RunningGateway {

  private static final String HEAD =
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n";

  @Test
  void isCutOffAtBothSides() throws Exception {
    try (var stalling = RawService.stoppingAfter(HEAD + "[{\"id\":")) {
      registerCinema("empire", stalling.address());

      var answer = RawHttp.answer(port, "GET /cinema/empire/movie/list HTTP/1.1");

      assertThat(answer).startsWith("HTTP/1.1 200").endsWith("[{\"id\":");
      assertThat(stalling.ended().await(10, SECONDS)).isTrue();
    }
  }

  @Test
  void isReportedIfNothingOfItWasPassedOn() throws Exception {
    try (var stalling = RawService.stoppingAfter(HEAD)) {
      registerCinema("astor", stalling.address());

      expectProblem(
          get("/cinema/astor/movie/list"),
          ProblemType.TIME_LIMIT,
          "The answer stopped at its beginning.");
      assertThat(stalling.ended().await(10, SECONDS)).isTrue();
    }
  }
}
