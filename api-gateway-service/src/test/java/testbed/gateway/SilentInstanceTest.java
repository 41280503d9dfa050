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
    good.forEach(server -> registerCinema(cinema, server.answersAsCinema(cinema).address()));
    Callable<Integer> client = () -> status(cinema);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      // Three for each instance.
      threads.invokeAll(IntStream.range(0, 3 * (others + 1)).mapToObj(i -> client).toList());
    }
    int before = service.requests().size();

    long failed = IntStream.range(0, 100).filter(i -> status(cinema) != 200).count();

    assertThat(before).isEqualTo(3);
    // A request that comes when it has rested tries it again: far fewer than its turns.
    assertThat(service.requests().size() - before).isLessThan(15);
    assertThat(failed).isLessThan(25);
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
