package testbed.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.test.context.TestPropertySource;
import testbed.support.testing.StandInServer;

/** One of several instances takes requests and never answers, while the registry has it. */
@TestPropertySource(properties = "resilience4j.timelimiter.configs.default.timeout-duration=1200ms")
class SilentInstanceTest extends RunningGateway {

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void isAskedNoMoreAfterSomeRequests(int others) throws Exception {
    var cinema = "stuck-" + others;
    service.isSilent();
    registerCinema(cinema);
    var good = IntStream.range(0, others).mapToObj(i -> new StandInServer()).toList();
    good.forEach(one -> registerCinema(cinema, one.answersAsCinema(cinema).address()));
    Callable<Integer> client = () -> status(cinema);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      // Three for each instance.
      threads.invokeAll(IntStream.range(0, 3 * (others + 1)).mapToObj(i -> client).toList());
    }
    int before = service.requests().size();

    for (int i = 0; i < 100; i++) {
      assertThat(status(cinema)).isEqualTo(200);
    }

    assertThat(before).isEqualTo(3);
    assertThat(service.requests()).hasSize(before);
    good.forEach(StandInServer::close);
  }

  private int status(String cinema) {
    return post("/cinema/%s/reservation/make".formatted(cinema), BODY)
        .expectBody()
        .returnResult()
        .getStatus()
        .value();
  }
}
