package testbed.ticket.office;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.BaseUnits;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;
import testbed.contracts.Reservation;
import testbed.contracts.ReservationId;

/**
 * Builds tickets, keeps them and records the state of each. Callers decide when, and how many at
 * once.
 *
 * <p>Safe for use by several threads.
 */
public final class TicketOffice implements Tickets {

  /** About 10 MB. */
  static final int ACCOUNTED = 100_000;

  private static final List<Fate> COUNTED =
      List.of(Fate.BUILT, Fate.DROPPED, Fate.FAILED, Fate.REFUSED);

  private final Function<Reservation, byte[]> printer;
  private final TicketStore store;
  private final boolean early;
  private final Ledger ledger = new Ledger(ACCOUNTED);
  private final Arrivals arrivals = new Arrivals();
  private final Set<ReservationId> underWay = ConcurrentHashMap.newKeySet();
  private final Map<Fate, Counter> counters = new EnumMap<>(Fate.class);
  private final Timer building;

  /**
   * @param printer makes the bytes of a ticket
   * @param maxBytes of memory that finished tickets take at most
   * @param early whether a fetch may overtake its order: orders come by a queue, fetches by HTTP.
   *     Such a fetch waits, too
   */
  public TicketOffice(
      Function<Reservation, byte[]> printer, long maxBytes, boolean early, MeterRegistry meters) {
    this.printer = printer;
    this.store = new TicketStore(maxBytes);
    this.early = early;
    this.building =
        Timer.builder("ticket.build")
            .description("From a reservation to the bytes of its ticket")
            .register(meters);
    for (var fate : COUNTED) {
      counters.put(
          fate,
          Counter.builder("tickets." + fate.name().toLowerCase(Locale.ROOT))
              .description("Tickets by what became of them")
              .register(meters));
    }
    Gauge.builder("ticket.store.bytes", store, TicketStore::bytes)
        .baseUnit(BaseUnits.BYTES)
        .description("How much memory finished tickets take")
        .register(meters);
    Gauge.builder("ticket.store.tickets", store, TicketStore::tickets)
        .description("Finished tickets that can be fetched")
        .register(meters);
    FunctionCounter.builder("ticket.store.evicted", store, TicketStore::evicted)
        .description("Finished tickets that made room for younger ones")
        .register(meters);
  }

  /**
   * Records that a ticket waits to be built.
   *
   * @return false if it waits already, or is built
   */
  public synchronized boolean accept(ReservationId id) {
    if (ledger.of(id) == Fate.WAITING || store.find(id) != null) {
      return false;
    }
    ledger.note(id, Fate.WAITING);
    return true;
  }

  /**
   * Builds a ticket, unless it is built or being built. Failures are thrown; the caller may try
   * again.
   */
  public void build(Reservation reservation) {
    var id = reservation.id();
    if (!underWay.add(id)) {
      return;
    }
    try {
      if (store.find(id) == null) {
        var pdf = building.record(() -> printer.apply(reservation));
        // Stored before its state changes: a built ticket that is not in the store counts as
        // expired.
        store.keep(id, Objects.requireNonNull(pdf));
        settle(id, Fate.BUILT);
      }
    } finally {
      underWay.remove(id);
    }
  }

  /** Builds a ticket like {@link #build}, and gives it up if that fails. */
  public void buildOrFail(Reservation reservation) {
    try {
      build(reservation);
    } catch (RuntimeException | Error failure) {
      fail(reservation.id());
      throw failure;
    }
  }

  /** Records that it was dropped for a newer ticket. */
  public void drop(ReservationId id) {
    settle(id, Fate.DROPPED);
  }

  /** Records that it will not be built, unless it is: its order may be delivered again. */
  public void fail(ReservationId id) {
    if (ledger.of(id) != Fate.BUILT) {
      settle(id, Fate.FAILED);
    }
  }

  /** Records that it was refused. */
  public void refuse(ReservationId id) {
    settle(id, Fate.REFUSED);
  }

  @Override
  public Found find(ReservationId id, Duration wait) {
    if (!isSettled(id) && (early || ledger.of(id) == Fate.WAITING)) {
      arrivals.await(id, () -> isSettled(id), wait);
    }
    var fate = ledger.of(id);
    var pdf = store.find(id);
    if (pdf != null) {
      return new Found.Ticket(pdf);
    }
    if (fate == null) {
      return new Found.Unknown();
    }
    return fate == Fate.WAITING ? new Found.Waiting() : new Found.Gone();
  }

  Map<Fate, List<Ledger.Entry>> byFate() {
    return ledger.byFate();
  }

  /** How many tickets have been built, dropped or given up. */
  long settled() {
    return Stream.of(Fate.BUILT, Fate.DROPPED, Fate.FAILED)
        .mapToLong(fate -> (long) Objects.requireNonNull(counters.get(fate)).count())
        .sum();
  }

  /** How many tickets are waited for. */
  int expected() {
    return arrivals.expected();
  }

  private void settle(ReservationId id, Fate fate) {
    ledger.note(id, fate);
    Objects.requireNonNull(counters.get(fate)).increment();
    arrivals.announce(id);
  }

  /** The store may hold a ticket whose state was removed. */
  private boolean isSettled(ReservationId id) {
    var fate = ledger.of(id);
    return (fate != null && fate != Fate.WAITING) || store.find(id) != null;
  }
}
