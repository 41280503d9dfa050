package testbed.broker.operation;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import testbed.support.presence.Presence;

/**
 * The operations in progress and their answers, by correlation id: bounded and expiring.
 *
 * <p>Pending operations are never dropped: when they fill the store, new ones are refused. Answered
 * ones make room, the oldest first. (A general cache drops what is used least, which here would be
 * the answer that nobody has fetched yet.)
 *
 * <p>Safe for use by several threads. Every operation has the same deadline and expiry, so that the
 * order of insertion is the order in which they pass, and no step looks further than the eldest.
 */
public final class Correlations {

  private final int capacity;
  private final long deadlineNanos;
  private final long expiryNanos;
  private final LongSupplier nanoClock;
  private final CorrelationIds ids;

  /** Answers dropped before their time to make room. Guarded by this. */
  private long evicted;

  /** Guarded by this. In order of their start. */
  private final Map<CorrelationId, Correlation> pending = new LinkedHashMap<>();

  /** Complete, or past the deadline. Guarded by this. In the order in which they became so. */
  private final Map<CorrelationId, Correlation> settled = new LinkedHashMap<>();

  /**
   * @param capacity operations held at most
   * @param deadline how long an operation is pending at most
   * @param expiry how long after its start an operation is held at most
   * @param clock for the ids
   * @param nanoClock for deadline and expiry, like {@link System#nanoTime()}
   */
  public Correlations(
      int capacity,
      Duration deadline,
      Duration expiry,
      InstantSource clock,
      LongSupplier nanoClock) {
    this.capacity = capacity;
    this.deadlineNanos = deadline.toNanos();
    this.expiryNanos = expiry.toNanos();
    this.nanoClock = nanoClock;
    this.ids = new CorrelationIds(clock);
  }

  /**
   * Makes room for an operation under a new id.
   *
   * @throws Unavailable if the store is full of pending operations
   */
  Correlation open(Operation<?> operation, Presence cinemas, Origin origin) {
    long now = nanoClock.getAsLong();
    var correlation = new Correlation(ids.next(), operation, cinemas, origin, now);
    synchronized (this) {
      sweep(now);
      if (pending.size() >= capacity) {
        throw Unavailable.storeIsFull(capacity);
      }
      if (pending.size() + settled.size() >= capacity) {
        removeEldest(settled);
        evicted++;
      }
      pending.put(correlation.id(), correlation);
    }
    return correlation;
  }

  /** Forgets an operation whose request has not been accepted: its id was never given away. */
  synchronized void discard(Correlation correlation) {
    pending.remove(correlation.id());
    settled.remove(correlation.id());
  }

  /** Notes that an operation is complete. */
  synchronized void settle(Correlation correlation) {
    if (pending.remove(correlation.id()) != null) {
      settled.put(correlation.id(), correlation);
    }
  }

  /** The operation of this id, if it is still held. */
  Optional<Correlation> find(CorrelationId id) {
    Correlation found;
    synchronized (this) {
      found = pending.get(id);
      if (found == null) {
        found = settled.get(id);
      }
    }
    return Optional.ofNullable(found).filter(held -> !isExpired(held, nanoClock.getAsLong()));
  }

  /**
   * The operation of this id.
   *
   * @throws CorrelationExpired if it was held once
   * @throws CorrelationUnknown if it was not, or is another operation
   */
  Correlation require(CorrelationId id, Operation<?> operation) {
    var found = find(id);
    if (found.isEmpty() && ids.issued(id)) {
      throw new CorrelationExpired(id);
    }
    return found
        .filter(held -> held.operation().equals(operation))
        .orElseThrow(() -> new CorrelationUnknown(id));
  }

  /** How long until the operation's deadline; 0 or less if it has passed. */
  long nanosLeft(Correlation correlation) {
    return deadlineNanos - (nanoClock.getAsLong() - correlation.startedNanos());
  }

  /** Lets go of what has expired; worth calling now and then while no requests come. */
  public synchronized void forgetExpired() {
    sweep(nanoClock.getAsLong());
  }

  /** Operations that are neither complete nor past the deadline. */
  public synchronized int pending() {
    return pending.size();
  }

  /** Operations whose answers are held. */
  public synchronized int settled() {
    return settled.size();
  }

  /** Answers that were dropped before their time to make room for new operations, so far. */
  public synchronized long evicted() {
    return evicted;
  }

  /** The age of the operation that has been pending longest; zero if none is. */
  public synchronized Duration oldestPending() {
    var eldest = pending.values().iterator();
    return eldest.hasNext()
        ? Duration.ofNanos(nanoClock.getAsLong() - eldest.next().startedNanos())
        : Duration.ZERO;
  }

  private void sweep(long now) {
    for (var eldest = pending.values().iterator(); eldest.hasNext(); ) {
      var correlation = eldest.next();
      if (now - correlation.startedNanos() < deadlineNanos) {
        break;
      }
      eldest.remove();
      settled.put(correlation.id(), correlation);
    }
    Iterator<Correlation> eldest = settled.values().iterator();
    while (eldest.hasNext() && isExpired(eldest.next(), now)) {
      eldest.remove();
    }
  }

  private boolean isExpired(Correlation correlation, long now) {
    return now - correlation.startedNanos() >= expiryNanos;
  }

  private static void removeEldest(Map<CorrelationId, Correlation> correlations) {
    var eldest = correlations.values().iterator();
    eldest.next();
    eldest.remove();
  }
}
