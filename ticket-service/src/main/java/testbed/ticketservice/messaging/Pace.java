package testbed.ticketservice.messaging;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Limits the rate at which work begins, evenly and over all threads. Unused time is not carried
 * over.
 */
class Pace {

  private final long intervalNanos;
  private final LongSupplier nanoClock;

  /** Guarded by this. */
  private long next;

  /**
   * @param perSecond 0 for no limit
   * @param nanoClock like {@link System#nanoTime()}
   */
  Pace(double perSecond, LongSupplier nanoClock) {
    this.intervalNanos = perSecond == 0 ? 0 : (long) (TimeUnit.SECONDS.toNanos(1) / perSecond);
    this.nanoClock = nanoClock;
    this.next = nanoClock.getAsLong();
  }

  /** Reserves the next turn and returns how long to wait for it. */
  synchronized long nanosToNext() {
    var now = nanoClock.getAsLong();
    var turn = next - now > 0 ? next : now;
    next = turn + intervalNanos;
    return turn - now;
  }

  void await() throws InterruptedException {
    if (intervalNanos > 0) {
      TimeUnit.NANOSECONDS.sleep(nanosToNext());
    }
  }
}
