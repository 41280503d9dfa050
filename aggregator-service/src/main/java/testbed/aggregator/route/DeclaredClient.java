package testbed.aggregator.route;

import java.io.InterruptedIOException;
import java.net.URI;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.springframework.web.client.ResourceAccessException;
import testbed.aggregator.movie.CinemaRoute.Question;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;
import testbed.support.deadline.Deadline;

/** Through a declared interface and the framework's client: each question has its own thread. */
class DeclaredClient implements CinemaClient, AutoCloseable {

  private final CinemaApi api;
  private final ExecutorService threads;

  /**
   * @param threads run the questions; closed with this client
   */
  DeclaredClient(CinemaApi api, ExecutorService threads) {
    this.api = api;
    this.threads = threads;
  }

  @Override
  public Question ask(URI address, CinemaName cinema) {
    var movies = address.resolve(CinemaClient.path(cinema));
    var deadline = Deadline.current();
    var answer =
        threads.submit(
            () -> {
              if (deadline == null) {
                return api.movies(movies);
              }
              try (var bound = deadline.bind()) {
                return api.movies(movies);
              }
            });
    return () -> await(answer);
  }

  /** A question that is open at the deadline is cancelled: its thread is interrupted. */
  private static Cinema await(Future<Cinema> answer) {
    var deadline = Deadline.current();
    try {
      return deadline == null
          ? answer.get()
          : answer.get(deadline.millisLeft(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException failed) {
      throw failed.getCause() instanceof RuntimeException failure
          ? failure
          : new IllegalStateException(failed.getCause());
    } catch (TimeoutException late) {
      throw notAnswered();
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
      throw notAnswered();
    } finally {
      answer.cancel(true);
    }
  }

  private static ResourceAccessException notAnswered() {
    return new ResourceAccessException(
        "No answer in time", new InterruptedIOException("The question was cancelled"));
  }

  @Override
  public void close() {
    threads.close();
  }
}
