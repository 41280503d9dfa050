package testbed.cinema.web;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/**
 * Answers late on purpose, to see a circuit breaker at work (thesis, figure 7.4). Only where {@code
 * cinema.drills} is on, because anyone could open a breaker with these requests.
 */
@HttpEdge
@ConditionalOnBooleanProperty("cinema.drills")
class DrillController {

  private static final int MAX_SECONDS = 30;

  @GetMapping({
    "/cinema/${cinema.name}/movie/delay/{seconds}",
    "/cinema/${cinema.name}/reservation/delay/{seconds}"
  })
  CompletableFuture<Delayed> delay(@PathVariable int seconds) {
    if (seconds < 0 || seconds > MAX_SECONDS) {
      throw new DelayOutOfRange(seconds);
    }
    Executor later = CompletableFuture.delayedExecutor(seconds, TimeUnit.SECONDS);
    return CompletableFuture.supplyAsync(() -> new Delayed(seconds), later);
  }

  record Delayed(int seconds) {}

  static class DelayOutOfRange extends ProblemException {

    DelayOutOfRange(int seconds) {
      super(
          ProblemType.INVALID_REQUEST,
          "A delay of %d seconds is not possible: 0 to %d.".formatted(seconds, MAX_SECONDS));
    }
  }
}
