package testbed.support.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

@ExtendWith(OutputCaptureExtension.class)
class ProblemAdviceTest {

  private final MockMvcTester http =
      MockMvcTester.of(
          List.of(new Failing()), mvc -> mvc.setControllerAdvice(new ProblemAdvice()).build());

  @Test
  void reportsAFactUnderItsType() {
    assertThat(http.get().uri("/fact"))
        .hasStatus(503)
        .hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
        .bodyJson()
        .isLenientlyEqualTo(
            """
            {"type": "urn:testbed:problem:unavailable", "status": 503, "detail": "Too busy."}
            """);
  }

  @Test
  void saysWhenItIsWorthTryingAgainIfTheFactSaysSo() {
    assertThat(http.get().uri("/busy")).hasStatus(503).hasHeader(HttpHeaders.RETRY_AFTER, "2");
    assertThat(http.get().uri("/fact")).doesNotContainHeader(HttpHeaders.RETRY_AFTER);
  }

  @Test
  void keepsTheCauseOfAFaultOutOfTheAnswerAndInTheLog(CapturedOutput log) {
    assertThat(http.get().uri("/fault"))
        .hasStatus(500)
        .hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
        .bodyText()
        .contains("urn:testbed:problem:internal")
        .doesNotContain("secret");
    assertThat(log).contains("GET /fault failed").contains("secret");
  }

  @Test
  void givesFrameworkProblemsAType() {
    assertThat(http.get().uri("/number/one"))
        .hasStatus(400)
        .bodyText()
        .contains("urn:testbed:problem:invalid-request");
  }

  @RestController
  static class Failing {

    @GetMapping("/fact")
    void fact() {
      throw new Busy(null);
    }

    @GetMapping("/busy")
    void busy() {
      throw new Busy(Duration.ofSeconds(2));
    }

    @GetMapping("/fault")
    void fault() {
      throw new IllegalStateException("secret");
    }

    @GetMapping("/number/{number}")
    int number(@PathVariable int number) {
      return number;
    }
  }

  static class Busy extends ProblemException {
    Busy(@Nullable Duration retryAfter) {
      super(ProblemType.UNAVAILABLE, "Too busy.", retryAfter);
    }
  }
}
