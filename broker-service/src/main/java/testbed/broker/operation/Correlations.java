package testbed.broker.operation;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import testbed.cinemas.Presence;

/**
 * The operations in progress and their answers, by correlation id: bounded in number and in memory,
 * and expiring.
 *
 * <p>Pending operations are never dropped: when they fill the store, new ones are refused. Answered
 * ones make room: first those that were fetched, then the oldest. (A general cache drops what is
 * used least, which here would be the answer that nobody has fetched yet.)
 *
 * <p>Safe for use by several threads. Every operation has the same deadline and expiry, so they
 * pass in the order of insertion, and each step looks at the oldest operation only.
 */
public final class Correlations {

  /**
   * Bytes of memory for each byte of a response's body. Measured with pages of reservations: 1.3
   * (long texts) to 2.1 (short texts, because of object headers). The rest is margin.
   */
  static final int MEMORY_PER_BODY = 3;

  /**
   * What the store holds.
   *
   * @param capacity operations held at most
   * @param maxBytes about how much memory they take at most
   * @param deadline how long an operation is pending at most
   * @param expiry how long after its start an operation is held at most
   * @param fetchedExpiry how long after its first fetch a complete answer is held at most
   */
  public record Limits(
      int capacity, long maxBytes, Duration deadline, Duration expiry, Duration fetchedExpiry) {}

  private final int capacity;
  private final long maxBytes;
  private final long deadlineNanos;
  private final long expiryNanos;
  private final long fetchedExpiryNanos;
  private final LongSupplier nanoClock;
  private final CorrelationIds ids;

  /** Answers dropped before they expired, to make room. Guarded by this. */
  private long evicted;

  /** Guarded by this. In order of their start. */
  private final OrderedOperations pending = new OrderedOperations();

  /** Complete, or past the deadline. Guarded by this. In the order in which they became so. */
  private final OrderedOperations settled = new OrderedOperations();

  /** Complete, and fetched. Guarded by this. In the order of their first fetch. */
  private final OrderedOperations fetched = new OrderedOperations();

  /**
   * @param clock for the ids
   * @param nanoClock for deadline and expiry, like {@link System#nanoTime()}
   */
  public Correlations(Limits limits, InstantSource clock, LongSupplier nanoClock) {
    this.capacity = limits.capacity();
    this.maxBytes = limits.maxBytes();
    this.deadlineNanos = limits.deadline().toNanos();
    this.expiryNanos = limits.expiry().toNanos();
    this.fetchedExpiryNanos = limits.fetchedExpiry().toNanos();
    this.nanoClock = nanoClock;
    this.ids = new CorrelationIds(clock);
  }

  /**
   * Makes room for an operation under a new id.
   *
   * @throws Unavailable if the store is full of pending operations
   */
  Correlation open(Operation<?> operation, Presence cinemas, Client client, Origin origin) {
    long now = nanoClock.getAsLong();
    var correlation =
        new Correlation(
            ids.next(client), operation, cinemas, client, origin, now, now + expiryNanos);
    synchronized (this) {
      sweep(now);
      if (pending.size() >= capacity || pending.bytes() + correlation.bytes() > maxBytes) {
        throw Unavailable.storeIsFull(pending.size());
      }
      makeRoom(1, correlation.bytes());
      pending.add(correlation);
    }
    return correlation;
  }

  /** Removes an operation whose request was not accepted: no client knows its id. */
  synchronized void discard(Correlation correlation) {
    letGo(correlation);
  }

  /**
   * Notes that an operation has collected a response.
   *
   * @param body the size of its body in bytes; 0 if others hold the same response
   */
  synchronized void collected(Correlation correlation, int body) {
    long more = (long) MEMORY_PER_BODY * body;
    boolean stored =
        pending.grow(correlation, more)
            || settled.grow(correlation, more)
            || fetched.grow(correlation, more);
    if (!stored) {
      return;
    }
    if (correlation.isComplete() && pending.remove(correlation)) {
      settled.add(correlation);
    }
    if (correlation.bytes() > maxBytes
        && (settled.remove(correlation) || fetched.remove(correlation))) {
      // It is larger than the whole store and would evict all others and itself.
      evicted++;
    }
    makeRoom(0, 0);
  }

  /**
   * Notes that a complete answer was fetched. It is kept for a while, in case the client did not
   * receive it.
   */
  void fetched(Correlation correlation) {
    if (fetchedExpiryNanos >= expiryNanos) {
      return;
    }
    long now = nanoClock.getAsLong();
    synchronized (this) {
      if (pending.remove(correlation) || settled.remove(correlation)) {
        long left = correlation.expiresNanos() - now;
        correlation.expireAt(now + Math.min(left, fetchedExpiryNanos));
        fetched.add(correlation);
      }
    }
  }

  /** The operation of this id, if it is still held. */
  Optional<Correlation> find(CorrelationId id) {
    long now = nanoClock.getAsLong();
    synchronized (this) {
      return Optional.ofNullable(lookUp(id)).filter(correlation -> !isExpired(correlation, now));
    }
  }

  /**
   * The operation of this id.
   *
   * @throws CorrelationExpired if the id was issued and its answer is gone
   * @throws CorrelationUnknown if the id was not issued, or for another operation or client
   */
  Correlation require(CorrelationId id, Operation<?> operation, Client client) {
    var correlation = find(id);
    if (correlation.isEmpty() && ids.issued(id, client)) {
      throw new CorrelationExpired(id);
    }
    return correlation
        .filter(stored -> stored.operation().equals(operation) && stored.client().equals(client))
        .orElseThrow(() -> new CorrelationUnknown(id));
  }

  /** How long until the operation's deadline; 0 or less if it has passed. */
  long nanosLeft(Correlation correlation) {
    return deadlineNanos - (nanoClock.getAsLong() - correlation.startedNanos());
  }

  /** Removes what has expired. To be called regularly, as requests may not come. */
  public synchronized void forgetExpired() {
    sweep(nanoClock.getAsLong());
  }

  /** Operations that are neither complete nor past the deadline. */
  public synchronized int pending() {
    return pending.size();
  }

  /** Operations whose answers are held. */
  public synchronized int settled() {
    return settled.size() + fetched.size();
  }

  /** About how much memory all operations take. */
  public synchronized long bytes() {
    return pending.bytes() + settled.bytes() + fetched.bytes();
  }

  /** The number of answers so far that were dropped before they expired, to make room. */
  public synchronized long evicted() {
    return evicted;
  }

  /** The age of the operation that has been pending longest; zero if none is. */
  public synchronized Duration oldestPending() {
    var eldest = pending.eldest();
    return eldest == null
        ? Duration.ZERO
        : Duration.ofNanos(nanoClock.getAsLong() - eldest.startedNanos());
  }

  private @Nullable Correlation lookUp(CorrelationId id) {
    var correlation = pending.get(id);
    if (correlation == null) {
      correlation = settled.get(id);
    }
    return correlation == null ? fetched.get(id) : correlation;
  }

  private boolean letGo(Correlation correlation) {
    return pending.remove(correlation)
        || settled.remove(correlation)
        || fetched.remove(correlation);
  }

  /**
   * Drops answers until so many operations of so much memory fit, or only pending ones are left.
   */
  private void makeRoom(int operations, long moreBytes) {
    while (pending.size() + settled() + operations > capacity || bytes() + moreBytes > maxBytes) {
      var eldest = fetched.size() > 0 ? fetched.eldest() : settled.eldest();
      if (eldest == null) {
        return;
      }
      letGo(eldest);
      evicted++;
    }
  }

  private void sweep(long now) {
    for (var eldest = pending.eldest();
        eldest != null && now - eldest.startedNanos() >= deadlineNanos;
        eldest = pending.eldest()) {
      pending.remove(eldest);
      settled.add(eldest);
    }
    letExpiredGo(settled, now);
    letExpiredGo(fetched, now);
  }

  private void letExpiredGo(OrderedOperations answered, long now) {
    for (var eldest = answered.eldest();
        eldest != null && isExpired(eldest, now);
        eldest = answered.eldest()) {
      answered.remove(eldest);
    }
  }

  private static boolean isExpired(Correlation correlation, long now) {
    return now - correlation.expiresNanos() >= 0;
  }
}
