package testbed.aggregator.route;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import testbed.aggregator.movie.CinemaRoute;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;

/** Measures each question to a cinema: {@code aggregator.questions}, by cinema and outcome. */
class MeasuredRoute implements CinemaRoute {

  private final CinemaRoute route;
  private final MeterRegistry meters;

  MeasuredRoute(CinemaRoute route, MeterRegistry meters) {
    this.route = route;
    this.meters = meters;
  }

  @Override
  public Cinema ask(CinemaName cinema) {
    var sample = Timer.start(meters);
    var outcome = "failed";
    try {
      var answer = route.ask(cinema);
      outcome = "answered";
      return answer;
    } finally {
      sample.stop(
          Timer.builder("aggregator.questions")
              .description("From the question to a cinema to its whole answer")
              .tag("cinema", cinema.value())
              .tag("outcome", outcome)
              .register(meters));
    }
  }
}
