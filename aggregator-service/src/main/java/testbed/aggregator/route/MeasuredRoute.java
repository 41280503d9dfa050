package testbed.aggregator.route;

import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.net.BindException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.web.client.ResourceAccessException;
import testbed.aggregator.movie.CinemaRoute;
import testbed.aggregator.movie.NoPortLeft;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;

/**
 * Measures each question to a cinema: {@code aggregator.questions}, by cinema and outcome, which is
 * {@code answered}, {@code no_port} (no local port was left) or {@code failed}. Answers to
 * questions that were asked at once are read in the order of names, so that a time includes the
 * wait for those read before.
 */
class MeasuredRoute implements CinemaRoute {

  private final CinemaRoute route;
  private final MeterRegistry meters;
  private final MeterProvider<Timer> questions;
  private final Map<Kind, Timer> timers = new ConcurrentHashMap<>();

  MeasuredRoute(CinemaRoute route, MeterRegistry meters) {
    this.route = route;
    this.meters = meters;
    this.questions =
        Timer.builder("aggregator.questions")
            .description("From the question to a cinema until its whole answer is read")
            .withRegistry(meters);
  }

  @Override
  public Question ask(CinemaName cinema) {
    var sample = Timer.start(meters);
    var asked = route.ask(cinema);
    return () -> answer(cinema, asked, sample);
  }

  private Cinema answer(CinemaName cinema, Question asked, Timer.Sample sample) {
    var outcome = "failed";
    try {
      var answer = asked.answer();
      outcome = "answered";
      return answer;
    } catch (ResourceAccessException unreachable) {
      // The operating system's EADDRNOTAVAIL. No client here chooses its port, so nothing else
      // fails to bind; the JDK's own client and Apache's both let it through.
      if (unreachable.contains(BindException.class)) {
        outcome = "no_port";
        throw new NoPortLeft();
      }
      throw unreachable;
    } finally {
      sample.stop(timers.computeIfAbsent(new Kind(cinema, outcome), this::timer));
    }
  }

  private Timer timer(Kind kind) {
    return questions.withTags("cinema", kind.cinema.value(), "outcome", kind.outcome);
  }

  private record Kind(CinemaName cinema, String outcome) {}
}
