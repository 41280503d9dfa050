package testbed.broker.web;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import testbed.broker.operation.Operation;
import testbed.contracts.CinemaName;

/**
 * Bounds how many requests are held for each cinema, and for lists: a cinema that hangs must not
 * take every connection. The more places are taken, the fewer each may have, so some are always
 * left, however many cinemas hang (dynamic thresholds; Choudhury and Hahne 1998). Safe for use by
 * several threads.
 */
final class WaitingPlaces {

  /** One cinema alone gets four fifths of all. */
  private static final long SHARE_OF_FREE = 4;

  private final int places;
  private final Map<Optional<CinemaName>, Integer> taken = new HashMap<>();
  private int all;

  WaitingPlaces(int places) {
    this.places = places;
  }

  /** A place for a request that wants to wait. Without one it is answered at once. */
  Place take(Operation<?> operation, Optional<Duration> wait) {
    return wait.isPresent() && isTaken(operation.cinema())
        ? new Place(wait, () -> leave(operation.cinema()))
        : new Place(Optional.empty(), () -> {});
  }

  private synchronized boolean isTaken(Optional<CinemaName> cinema) {
    if (taken.getOrDefault(cinema, 0) >= SHARE_OF_FREE * (places - all)) {
      return false;
    }
    taken.merge(cinema, 1, Integer::sum);
    all++;
    return true;
  }

  private synchronized void leave(Optional<CinemaName> cinema) {
    taken.computeIfPresent(cinema, (name, own) -> own == 1 ? null : own - 1);
    all--;
  }

  /**
   * A place until it is closed.
   *
   * @param time for which to wait; empty without a place
   */
  record Place(Optional<Duration> time, Runnable leaving) implements AutoCloseable {

    @Override
    public void close() {
      leaving.run();
    }
  }
}
