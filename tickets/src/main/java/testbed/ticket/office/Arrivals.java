package testbed.ticket.office;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import testbed.contracts.ReservationId;

/**
 * Lets fetches wait until their ticket is built or given up. Holds entries of waiting fetches only.
 */
final class Arrivals {

  private static final class Arrival {

    final CountDownLatch here = new CountDownLatch(1);

    /** Changed while the map holds its entry. */
    int waiting;
  }

  private final ConcurrentHashMap<ReservationId, Arrival> expected = new ConcurrentHashMap<>();

  /** Wakes all fetches that wait for the ticket. */
  void announce(ReservationId id) {
    var arrival = expected.get(id);
    if (arrival != null) {
      arrival.here.countDown();
    }
  }

  /**
   * Waits until it is announced.
   *
   * @param settled whether the wait is over
   */
  void await(ReservationId id, BooleanSupplier settled, Duration longest) {
    var arrival =
        expected.compute(id, (same, earlier) -> oneMore(earlier == null ? new Arrival() : earlier));
    try {
      // Checked after registering, so that no announcement is missed.
      if (!settled.getAsBoolean()) {
        var announced = arrival.here.await(longest.toNanos(), TimeUnit.NANOSECONDS);
      }
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
    } finally {
      expected.computeIfPresent(id, (same, earlier) -> --earlier.waiting == 0 ? null : earlier);
    }
  }

  int expected() {
    return expected.size();
  }

  private static Arrival oneMore(Arrival arrival) {
    arrival.waiting++;
    return arrival;
  }
}
