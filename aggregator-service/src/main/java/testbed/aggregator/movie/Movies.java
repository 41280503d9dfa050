package testbed.aggregator.movie;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;
import testbed.support.deadline.Deadline;
import testbed.support.presence.Presence;

/** The movies of all cinemas. */
public class Movies implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Movies.class);

  private final Supplier<Presence> cinemas;
  private final CinemaRoute route;
  private final FanOut fanOut;
  private final Duration deadline;
  private final ExecutorService threads;

  /**
   * @param threads ask the cinemas; closed with this
   */
  public Movies(
      Supplier<Presence> cinemas,
      CinemaRoute route,
      FanOut fanOut,
      Duration deadline,
      ExecutorService threads) {
    this.cinemas = cinemas;
    this.route = route;
    this.fanOut = fanOut;
    this.deadline = deadline;
    this.threads = threads;
  }

  /**
   * Asks every cinema that is present. Takes no longer than the deadline, or than the caller waits,
   * whatever the cinemas do; questions that are open then are cancelled.
   *
   * @throws NoCinemaKnown if there is nobody to ask or to miss
   * @throws NoPortLeft if no answer arrived, and a cinema could not be asked for lack of a port
   * @throws NoCinemaAnswered if no answer arrived in time for any other reason
   */
  public MovieList list() {
    var known = cinemas.get();
    var missing = new TreeSet<CinemaName>(known.missing());
    missing.addAll(known.present());
    if (missing.isEmpty()) {
      throw new NoCinemaKnown();
    }
    var outcome = ask(known.present());
    // A copy: a question that was cancelled may still get its answer.
    var answers = new TreeMap<>(outcome.answers());
    if (answers.isEmpty()) {
      throw outcome.withoutPort().get() ? new NoPortLeft() : new NoCinemaAnswered(missing);
    }
    missing.removeAll(answers.keySet());
    return new MovieList(List.copyOf(answers.values()), missing);
  }

  private Outcome ask(SortedSet<CinemaName> present) {
    var outcome = new Outcome();
    var answerBy = Deadline.within(deadline);
    List<Callable<Void>> questions =
        switch (fanOut) {
          case PARALLEL ->
              present.stream().map(cinema -> question(List.of(cinema), answerBy, outcome)).toList();
          case SEQUENTIAL -> List.of(question(present, answerBy, outcome));
        };
    try {
      // Cancels, by interrupting, what has not ended by the deadline.
      threads.invokeAll(questions, answerBy.millisLeft(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
    }
    return outcome;
  }

  private Callable<Void> question(Iterable<CinemaName> asked, Deadline answerBy, Outcome outcome) {
    return () -> {
      for (var cinema : asked) {
        if (Thread.currentThread().isInterrupted() || answerBy.millisLeft() == 0) {
          break;
        }
        try (var bound = answerBy.bind()) {
          outcome.answers().put(cinema, route.ask(cinema));
        } catch (NoPortLeft exhausted) {
          outcome.withoutPort().set(true);
        } catch (RuntimeException failure) {
          // Named to the client as missing. Under load a line for each would bury the log.
          log.debug("{} did not answer", cinema, failure);
        }
      }
      return null;
    };
  }

  @Override
  public void close() {
    threads.close();
  }

  /**
   * What comes of the questions for one list; the threads that ask write it.
   *
   * @param withoutPort whether a cinema could not be asked for lack of a local port
   */
  private record Outcome(Map<CinemaName, Cinema> answers, AtomicBoolean withoutPort) {

    Outcome() {
      this(new ConcurrentHashMap<>(), new AtomicBoolean());
    }
  }
}
