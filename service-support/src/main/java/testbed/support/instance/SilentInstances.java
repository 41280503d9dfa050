package testbed.support.instance;

import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The instances of a service that are registered and do not answer: one that hangs may keep its
 * heartbeat. After some requests in a row without an answer an instance rests. Then a single
 * request tries it, and after each vain try it rests longer. An answer ends that, and so does the
 * registry when it removes the instance.
 *
 * <p>While all answer, this keeps nothing and makes no objects.
 */
public final class SilentInstances {

  /** In a row: one slow answer says nothing about an instance. */
  private static final int MANY = 3;

  private static final long FIRST_REST = TimeUnit.SECONDS.toNanos(5);
  private static final long LONGEST_REST = TimeUnit.SECONDS.toNanos(40);

  /** A request that was given up sooner says nothing about its instance. */
  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(1);

  private final Supplier<List<URI>> registered;
  private final LongSupplier nanoTime;
  private final Map<URI, Silence> silent = new ConcurrentHashMap<>();

  /**
   * @param registered all instances of the service
   */
  public SilentInstances(Supplier<List<URI>> registered) {
    this(registered, System::nanoTime);
  }

  SilentInstances(Supplier<List<URI>> registered, LongSupplier nanoTime) {
    this.registered = registered;
    this.nanoTime = nanoTime;
  }

  /**
   * Leaves out instances that rest. If one is to be tried, it alone is left; if all rest, all are,
   * as guessing is better than refusing.
   *
   * @param instances to choose from
   */
  public List<URI> leaveOut(List<URI> instances) {
    if (silent.isEmpty() || instances.size() < 2) {
      return instances;
    }
    silent.keySet().retainAll(registered.get());
    long now = nanoTime.getAsLong();
    for (var instance : instances) {
      var silence = silent.get(instance);
      if (silence != null
          && silence.isLong()
          && now - silence.until >= 0
          // One of several threads.
          && silent.replace(instance, silence, silence.tried(now))) {
        return List.of(instance);
      }
    }
    var left = instances.stream().filter(this::isAsked).toList();
    return left.isEmpty() ? instances : left;
  }

  private boolean isAsked(URI instance) {
    var silence = silent.get(instance);
    return silence == null || !silence.isLong();
  }

  /** An instance has answered, whatever it said. */
  public void answered(URI instance) {
    if (!silent.isEmpty()) {
      silent.remove(instance);
    }
  }

  /** The connection to an instance failed or was lost before its answer. */
  public void failed(URI instance) {
    long now = nanoTime.getAsLong();
    silent.merge(
        instance, new Silence(1, FIRST_REST, now), (before, first) -> before.withOneMore(now));
  }

  /**
   * A request was given up, by its client or at a time limit.
   *
   * @param asked when it began, by {@link System#nanoTime}
   */
  public void gaveUp(URI instance, long asked) {
    if (nanoTime.getAsLong() - asked >= PATIENCE) {
      failed(instance);
    }
  }

  /**
   * The silence of an instance.
   *
   * @param requests without an answer, in a row; counted until it rests
   * @param rest of the instance, this one or its first
   * @param until when it rests
   */
  private record Silence(int requests, long rest, long until) {

    boolean isLong() {
      return requests >= MANY;
    }

    /** Those in flight when the rest began make it no longer. */
    Silence withOneMore(long now) {
      return isLong() ? this : new Silence(requests + 1, rest, now + rest);
    }

    Silence tried(long now) {
      long longer = Math.min(2 * rest, LONGEST_REST);
      return new Silence(requests, longer, now + longer);
    }
  }
}
