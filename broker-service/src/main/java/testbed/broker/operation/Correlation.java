package testbed.broker.operation;

import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import testbed.cinemas.Presence;
import testbed.contracts.CinemaName;
import testbed.contracts.message.CinemaMessage.RequestRejected;
import testbed.contracts.message.CinemaMessage.Response;

/**
 * One operation: its id, who was asked, and the answers so far. Safe for use by several threads.
 */
final class Correlation {

  /** About how much memory an operation takes that has no answer yet: its id, cinemas and maps. */
  static final long OWN_BYTES = 1_024;

  private final CorrelationId id;
  private final Operation<?> operation;
  private final Client client;
  private final Origin origin;
  private final SortedSet<CinemaName> expected;
  private final SortedSet<CinemaName> awaited;
  private final long startedNanos;
  private final SortedMap<CinemaName, Response> responses = new TreeMap<>();
  private final CompletableFuture<Void> completion = new CompletableFuture<>();

  /** Guarded by the store, as is {@code expiresNanos}. */
  private long bytes = OWN_BYTES;

  private long expiresNanos;

  /**
   * @param cinemas those that are expected to answer; the missing ones are awaited only if nobody
   *     is present
   * @param startedNanos by the store's clock
   * @param expiresNanos by the store's clock
   */
  Correlation(
      CorrelationId id,
      Operation<?> operation,
      Presence cinemas,
      Client client,
      Origin origin,
      long startedNanos,
      long expiresNanos) {
    this.id = id;
    this.operation = operation;
    this.client = client;
    this.origin = origin;
    this.expected = new TreeSet<>(cinemas.present());
    this.expected.addAll(cinemas.missing());
    this.awaited = cinemas.present().isEmpty() ? cinemas.missing() : cinemas.present();
    this.startedNanos = startedNanos;
    this.expiresNanos = expiresNanos;
  }

  CorrelationId id() {
    return id;
  }

  Operation<?> operation() {
    return operation;
  }

  /** The client that may fetch the answer. */
  Client client() {
    return client;
  }

  Origin origin() {
    return origin;
  }

  long startedNanos() {
    return startedNanos;
  }

  long expiresNanos() {
    return expiresNanos;
  }

  void expireAt(long nanos) {
    expiresNanos = nanos;
  }

  /** About how much memory the operation takes with its answers. */
  long bytes() {
    return bytes;
  }

  void grow(long more) {
    bytes += more;
  }

  /**
   * Collects a response.
   *
   * @return {@code ACCEPTED}, {@code DUPLICATE} or {@code UNKNOWN}
   */
  Reception collect(Response response) {
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

  /** Completes when everybody has answered. */
  CompletionStage<Void> completion() {
    return completion;
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
      // The answers so far decide.
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException impossible) {
      throw new IllegalStateException("nobody fails the completion", impossible);
    }
  }

  /**
   * The result of a fetch now. A cinema that answered with a failure counts as missing, like one
   * that did not answer.
   *
   * @param type of the operation's answers
   * @param deadlinePassed whether an incomplete answer is returned
   * @return nothing while responses are awaited
   * @throws NoAnswer if there is no response and none is awaited
   * @throws RequestRefused if the one cinema that was asked has refused
   */
  synchronized <A extends Response> Optional<Answer<A>> answer(
      Class<A> type, boolean deadlinePassed) {
    if (!deadlinePassed && !completion.isDone()) {
      return Optional.empty();
    }
    var answers = responses.values().stream().filter(type::isInstance).map(type::cast).toList();
    if (answers.isEmpty()) {
      throw operation.cinema().map(responses::get).orElse(null) instanceof RequestRejected rejected
          ? new RequestRefused(rejected)
          : new NoAnswer(operation);
    }
    var missing =
        expected.stream().filter(cinema -> !type.isInstance(responses.get(cinema))).toList();
    return Optional.of(new Answer<>(answers, missing));
  }

  private boolean isAnsweredBy(Response response) {
    return (operation.answer().isInstance(response) || response instanceof RequestRejected)
        && operation.cinema().map(response.cinema()::equals).orElse(true);
  }

  /** No cinema is awaited if none is known: then only the deadline ends the wait. */
  private boolean everybodyHasAnswered() {
    Set<CinemaName> answered = responses.keySet();
    return !awaited.isEmpty() && answered.containsAll(awaited);
  }
}
