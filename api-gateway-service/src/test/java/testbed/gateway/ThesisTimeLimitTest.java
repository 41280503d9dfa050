package testbed.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.test.context.TestPropertySource;
import testbed.contracts.ProblemType;
import testbed.support.testing.LongLimits;

@TestPropertySource(properties = {"testbed.preset=thesis", LongLimits.OFF})
class ThesisTimeLimitTest extends RunningGateway {

  @Test
  void isThreeSeconds() {
    service.isSilent();
    registerCinema("metropole");
    long began = System.nanoTime();

    expectFallback(
        get("/cinema/metropole/movie/list"), ProblemType.TIME_LIMIT, "cinema-metropole-service");

    assertThat(Duration.ofNanos(System.nanoTime() - began))
        .isGreaterThanOrEqualTo(Duration.ofMillis(2900));
  }
}
