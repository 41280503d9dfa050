package testbed.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.test.context.TestPropertySource;
import testbed.contracts.ProblemType;

@TestPropertySource(properties = "gateway.routing=stock")
class StockBreakerTest extends RunningGateway {

  @Test
  void answersInPlaceOfAServiceWhose500Counts() {
    service.answers(500, "application/problem+json", "{}");
    registerCinema("adelphi");

    expectFallback(
        get("/cinema/adelphi/movie/list"), ProblemType.CIRCUIT_OPEN, "cinema-adelphi-service");
  }

  @Test
  void asksAnotherInstanceIfOneCannotBeReached() {
    try (var other = oneOfTwoInstances("plaza-one")) {
      for (int i = 0; i < 4; i++) {
        get("/cinema/plaza-one/movie/list").expectStatus().isOk();
      }
      assertThat(other.requests()).hasSize(4);
    }
  }
}
