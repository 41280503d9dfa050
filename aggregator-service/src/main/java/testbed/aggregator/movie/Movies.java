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
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;
import testbed.support.presence.Presence;

/** The movies of all cinemas. */
public class Movies implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Movies.class);

  private final Supplier<Presence> cinemas;
  private final CinemaRoute route;
  private final FanOut fanOut;
  private final Duration deadline;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  public Movies(Supplier<Presence> cinemas, CinemaRoute route, FanOut fanOut, Duration deadline) {
    this.cinemas = cinemas;
    this.route = route;
    this.fanOut = fanOut;
    this.deadline = deadline;
  }

  /**
   * Asks every cinema that is present. Takes no longer than the deadline, whatever the cinemas do;
   * questions that are open then are cancelled.
   *
   * @throws NoCinemaKnown if there is nobody to ask or to miss
   * @throws NoCinemaAnswered if no answer arrived in time
   */
  public MovieList list() {
    var known = cinemas.get();
    var missing = new TreeSet<CinemaName>(known.missing());
    missing.addAll(known.present());
    if (missing.isEmpty()) {
      throw new NoCinemaKnown();
    }
    var answers = ask(known.present());
    if (answers.isEmpty()) {
      throw new NoCinemaAnswered(missing);
    }
    missing.removeAll(answers.keySet());
    return new MovieList(List.copyOf(answers.values()), missing);
  }

  private TreeMap<CinemaName, Cinema> ask(SortedSet<CinemaName> present) {
    var answers = new ConcurrentHashMap<CinemaName, Cinema>();
    List<Callable<Void>> questions =
        switch (fanOut) {
          case PARALLEL ->
              present.stream().map(cinema -> question(List.of(cinema), answers)).toList();
          case SEQUENTIAL -> List.of(question(present, answers));
        };
    try {
      // Cancels, by interrupting, what has not ended by the deadline.
      threads.invokeAll(questions, deadline.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
    }
    return new TreeMap<>(answers);
  }

  private Callable<Void> question(Iterable<CinemaName> asked, Map<CinemaName, Cinema> answers) {
    return () -> {
      for (var cinema : asked) {
        if (Thread.currentThread().isInterrupted()) {
          break;
        }
        try {
          answers.put(cinema, route.ask(cinema));
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
}
