package testbed.cinema;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.springframework.dao.DuplicateKeyException;
import testbed.support.handicap.Handicap;
import testbed.support.problem.ProblemException;

/**
 * How long the business of a cinema takes, the database included and the edge not, and how it ends:
 * {@code cinema.work} by operation and outcome, the same in every variant.
 */
public final class Work {

  private enum Outcome {
    DONE,
    /** It had been stored before. */
    REPEATED,
    /** Refused by the catalogue, or withdrawn before. */
    REFUSED,
    FAILED
  }

  private final MeterRegistry meters;
  private final Handicap handicap;
  private final Map<Outcome, Timer> timers = new EnumMap<>(Outcome.class);

  public Work(MeterRegistry meters, Handicap handicap, String operation) {
    this.meters = meters;
    this.handicap = handicap;
    for (var outcome : Outcome.values()) {
      timers.put(
          outcome,
          Timer.builder("cinema.work")
              .description("The business of the cinema, database included")
              .tag("operation", operation)
              .tag("outcome", outcome.name().toLowerCase(Locale.ROOT))
              .register(meters));
    }
  }

  /** Does the work, and measures it. */
  public <T> T measured(Supplier<T> work) {
    return measured(
        work,
        duplicate -> {
          throw duplicate;
        });
  }

  /**
   * Does the work, and measures it.
   *
   * @param repeated what to do if the database says that it has been done before
   */
  public <T> T measured(Supplier<T> work, Function<DuplicateKeyException, T> repeated) {
    var sample = Timer.start(meters);
    var outcome = Outcome.FAILED;
    try {
      handicap.burn();
      try {
        var done = work.get();
        outcome = Outcome.DONE;
        return done;
      } catch (DuplicateKeyException before) {
        var done = repeated.apply(before);
        outcome = Outcome.REPEATED;
        return done;
      }
    } catch (ProblemException refused) {
      outcome = Outcome.REFUSED;
      throw refused;
    } finally {
      sample.stop(Objects.requireNonNull(timers.get(outcome)));
    }
  }
}
