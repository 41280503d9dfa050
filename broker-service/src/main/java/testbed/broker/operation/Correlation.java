package testbed.broker.operation;

import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import testbed.contracts.CinemaName;
import testbed.contracts.message.CinemaResponse;
import testbed.contracts.message.CinemaResponse.MoviesListed;
import testbed.contracts.message.CinemaResponse.RequestRejected;
import testbed.contracts.message.CinemaResponse.ReservationMade;
import testbed.contracts.message.CinemaResponse.ReservationsListed;
import testbed.support.presence.Presence;

/**
 * One operation: its id, who was asked, and the answers so far. Safe for use by several threads.
 */
final class Correlation {

  private final CorrelationId id;
  private final Operation operation;
  private final Origin origin;
  private final SortedSet<CinemaName> known;
  private final SortedSet<CinemaName> awaited;
  private final long startedNanos;
  private final SortedMap<CinemaName, CinemaResponse> responses = new TreeMap<>();
  private final CompletableFuture<Void> completion = new CompletableFuture<>();

  /**
   * @param cinemas those that are expected to answer; the missing ones are awaited only if nobody
   *     is present
   * @param startedNanos by the store's clock
   */
  Correlation(
      CorrelationId id, Operation operation, Presence cinemas, Origin origin, long startedNanos) {
    this.id = id;
    this.operation = operation;
    this.origin = origin;
    this.known = new TreeSet<>(cinemas.present());
    this.known.addAll(cinemas.missing());
    this.awaited = cinemas.present().isEmpty() ? cinemas.missing() : cinemas.present();
    this.startedNanos = startedNanos;
  }

  CorrelationId id() {
    return id;
  }

  Operation operation() {
    return operation;
  }

  Origin origin() {
    return origin;
  }

  long startedNanos() {
    return startedNanos;
  }

  /**
   * Collects a response.
   *
   * @return {@code ACCEPTED}, {@code DUPLICATE} or {@code UNKNOWN}
   */
  Reception collect(CinemaResponse response) {
    if (!isAnsweredBy(response)) {
      return Reception.UNKNOWN;
    }
    boolean completes;
    synchronized (this) {
      if (responses.putIfAbsent(response.cinema(), response) != null) {
        return Reception.DUPLICATE;
      }
      completes = everybodyHasAnswered();
    }
    if (completes) {
      completion.complete(null);
    }
    return Reception.ACCEPTED;
  }

  boolean isComplete() {
    return completion.isDone();
  }

  /**
   * Waits until everybody has answered.
   *
   * @param nanos the longest wait; none if 0 or less
   */
  void await(long nanos) {
    if (nanos <= 0 || completion.isDone()) {
      return;
    }
    try {
      completion.get(nanos, TimeUnit.NANOSECONDS);
    } catch (TimeoutException notYet) {
      // What has been collected so far decides.
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException impossible) {
      throw new IllegalStateException("nobody fails the completion", impossible);
    }
  }

  /**
   * What a fetch finds now.
   *
   * @param deadlinePassed whether to make do with what is there
   * @throws NoAnswer if nothing is there and nothing more is waited for
   * @throws RequestRefused if the one cinema that was asked has refused
   */
  synchronized Answer answer(boolean deadlinePassed) {
    if (!deadlinePassed && !completion.isDone()) {
      return new Answer.Pending();
    }
    return switch (operation) {
      case Operation.ListMovies all -> movies();
      case Operation.AtOneCinema one ->
          switch (responses.get(one.cinema())) {
            case ReservationMade made -> new Answer.Made(made.reservation());
            case ReservationsListed listed ->
                new Answer.Listed(listed.cinema(), listed.reservations());
            case RequestRejected rejected -> throw new RequestRefused(rejected);
            case null, default -> throw new NoAnswer(operation);
          };
    };
  }

  /** A cinema that could not list its movies is missing like one that said nothing. */
  private Answer movies() {
    var cinemas =
        responses.values().stream()
            .filter(MoviesListed.class::isInstance)
            .map(response -> ((MoviesListed) response).catalogue())
            .toList();
    if (cinemas.isEmpty()) {
      throw new NoAnswer(operation);
    }
    var missing =
        known.stream().filter(cinema -> !(responses.get(cinema) instanceof MoviesListed)).toList();
    return new Answer.Movies(cinemas, missing);
  }

  private boolean isAnsweredBy(CinemaResponse response) {
    return switch (operation) {
      case Operation.ListMovies all ->
          response instanceof MoviesListed || response instanceof RequestRejected;
      case Operation.MakeReservation one ->
          one.cinema().equals(response.cinema())
              && (response instanceof ReservationMade || response instanceof RequestRejected);
      case Operation.ListReservations one ->
          one.cinema().equals(response.cinema())
              && (response instanceof ReservationsListed || response instanceof RequestRejected);
    };
  }

  /** Nobody awaited means nobody known: then only the deadline ends the wait. */
  private boolean everybodyHasAnswered() {
    Set<CinemaName> answered = responses.keySet();
    return !awaited.isEmpty() && answered.containsAll(awaited);
  }
}
