package testbed.aggregator.movie;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import testbed.aggregator.movie.CinemaRoute.Question;
import testbed.cinemas.Presence;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;
import testbed.support.deadline.Deadline;

/** The movies of all cinemas. */
public class Movies {

  private static final Logger log = LoggerFactory.getLogger(Movies.class);

  /** Time to read an answer that has already arrived when an earlier one used up the deadline. */
  private static final Duration READING = Duration.ofMillis(20);

  private final Supplier<Presence> cinemas;
  private final CinemaRoute route;
  private final FanOut fanOut;
  private final Duration deadline;

  public Movies(Supplier<Presence> cinemas, CinemaRoute route, FanOut fanOut, Duration deadline) {
    this.cinemas = cinemas;
    this.route = route;
    this.fanOut = fanOut;
    this.deadline = deadline;
  }

  /**
   * Asks every cinema that is present. Takes no longer than the deadline, or than the caller waits,
   * and the time to read what has arrived by then, whatever the cinemas do.
   *
   * @throws NoCinemaKnown if no cinema is registered or remembered
   * @throws NoPortLeft if no answer arrived, and a cinema could not be asked for lack of a port
   * @throws NoCinemaAnswered if no answer arrived in time for any other reason
   */
  public MovieList list() {
    var presence = cinemas.get();
    var list = new Collected(Deadline.within(deadline));
    list.missing.addAll(presence.present());
    list.missing.addAll(presence.missing());
    if (list.missing.isEmpty()) {
      throw new NoCinemaKnown();
    }
    switch (fanOut) {
      case PARALLEL -> askAll(presence.present(), list);
      case SEQUENTIAL -> presence.present().forEach(cinema -> askAll(List.of(cinema), list));
    }
    if (list.answers.isEmpty()) {
      throw list.withoutPort ? new NoPortLeft() : new NoCinemaAnswered(list.missing);
    }
    return new MovieList(list.answers, list.missing);
  }

  private void askAll(Iterable<CinemaName> asked, Collected list) {
    if (list.answerBy.millisLeft() == 0) {
      return;
    }
    var questions = new ArrayList<Asked>();
    try (var bound = list.answerBy.bind()) {
      asked.forEach(cinema -> questions.add(new Asked(cinema, ask(cinema))));
    }
    questions.forEach(list::add);
  }

  /**
   * Defers a failure until answers are read: each question that was sent must be read to its end.
   */
  private Question ask(CinemaName cinema) {
    try {
      return route.ask(cinema);
    } catch (RuntimeException failure) {
      return () -> {
        throw failure;
      };
    }
  }

  private record Asked(CinemaName cinema, Question question) {}

  /** The answers so far. */
  private static final class Collected {

    private final Deadline answerBy;
    private final List<Cinema> answers = new ArrayList<>();
    private final SortedSet<CinemaName> missing = new TreeSet<>();

    /** Whether a cinema could not be asked for lack of a local port. */
    private boolean withoutPort;

    Collected(Deadline answerBy) {
      this.answerBy = answerBy;
    }

    void add(Asked asked) {
      var by = answerBy.millisLeft() > 0 ? answerBy : Deadline.of(READING, Duration.ZERO);
      try (var bound = by.bind()) {
        answers.add(asked.question.answer());
        missing.remove(asked.cinema);
      } catch (NoPortLeft exhausted) {
        withoutPort = true;
      } catch (RuntimeException failure) {
        // Named to the client as missing. Under load a line for each would bury the log.
        log.debug("{} did not answer", asked.cinema, failure);
      }
    }
  }
}
