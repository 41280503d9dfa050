package testbed.ticketservice.messaging;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Spaces the begins of work evenly, over all threads. Time that nobody used is not made up for. */
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

  /** How long the caller, whose turn this takes, has to wait for it. */
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
