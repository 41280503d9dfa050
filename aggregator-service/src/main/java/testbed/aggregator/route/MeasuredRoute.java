package testbed.aggregator.route;

import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import testbed.aggregator.movie.CinemaRoute;
import testbed.aggregator.movie.NoPortLeft;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;

/**
 * Measures each question to a cinema: {@code aggregator.questions}, by cinema and outcome, which is
 * {@code answered}, {@code no_port} or {@code failed}.
 */
class MeasuredRoute implements CinemaRoute {

  private final CinemaRoute route;
  private final MeterRegistry meters;
  private final MeterProvider<Timer> questions;

  MeasuredRoute(CinemaRoute route, MeterRegistry meters) {
    this.route = route;
    this.meters = meters;
    this.questions =
        Timer.builder("aggregator.questions")
            .description("From the question to a cinema to its whole answer")
            .withRegistry(meters);
  }

  @Override
  public Cinema ask(CinemaName cinema) {
    var sample = Timer.start(meters);
    var outcome = "failed";
    try {
      var answer = route.ask(cinema);
      outcome = "answered";
      return answer;
    } catch (NoPortLeft exhausted) {
      outcome = "no_port";
      throw exhausted;
    } finally {
      sample.stop(questions.withTags("cinema", cinema.value(), "outcome", outcome));
    }
  }
}
