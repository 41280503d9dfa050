package testbed.poster.work;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import testbed.support.deadline.Deadline;
import testbed.support.deadline.DeadlinePassed;

/**
 * A fair semaphore with metrics. Waits end at the longest wait or the request's deadline and are
 * measured as {@code poster.wait}; {@code poster.used} is the number in use.
 */
final class Bounded {

  private final int limit;
  private final Semaphore free;
  private final Duration longest;
  private final Timer waits;

  /**
   * @param what a tag of the meters
   */
  Bounded(String what, int limit, Duration longest, MeterRegistry meters) {
    this.limit = limit;
    this.free = new Semaphore(limit, true);
    this.longest = longest;
    this.waits =
        Timer.builder("poster.wait")
            .description("The wait for a turn or for room")
            .tag("kind", what)
            .register(meters);
    Gauge.builder("poster.used", () -> limit - free.availablePermits())
        .description("How many turns or kilobytes are taken")
        .tag("kind", what)
        .register(meters);
  }

  /**
   * Takes this number, or all if there are fewer.
   *
   * @throws Busy if they were not free in time
   * @throws DeadlinePassed if the request's deadline was over before
   */
  Lease take(int count) {
    int taken = Math.clamp(count, 1, limit);
    var deadline = Deadline.within(longest);
    var begin = System.nanoTime();
    boolean acquired;
    try {
      acquired = free.tryAcquire(taken, deadline.millisLeft(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
      acquired = false;
    }
    waits.record(System.nanoTime() - begin, TimeUnit.NANOSECONDS);
    var request = Deadline.current();
    if (request != null && request.millisLeft() == 0) {
      if (acquired) {
        free.release(taken);
      }
      throw new DeadlinePassed();
    }
    if (!acquired) {
      throw new Busy();
    }
    var open = new AtomicBoolean(true);
    return () -> {
      if (open.compareAndSet(true, false)) {
        free.release(taken);
      }
    };
  }
}
