package testbed.ticket.office;

import static java.util.stream.Collectors.groupingBy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import testbed.contracts.ReservationId;

/**
 * The last state of each ticket, in the order of changes. Kept longer than the ticket itself, so
 * that each one can be accounted for. Bounded: the oldest entries are removed.
 */
final class Ledger {

  /** The state of a ticket, and since when, in milliseconds since the epoch. */
  record Entry(ReservationId id, Fate fate, long atMillis) {}

  private final int most;

  /** Guarded by this. */
  private final LinkedHashMap<ReservationId, Entry> entries = new LinkedHashMap<>();

  Ledger(int most) {
    this.most = most;
  }

  synchronized void note(ReservationId id, Fate fate) {
    entries.putLast(id, new Entry(id, fate, System.currentTimeMillis()));
    if (entries.size() > most) {
      entries.pollFirstEntry();
    }
  }

  synchronized @Nullable Fate of(ReservationId id) {
    var entry = entries.get(id);
    return entry == null ? null : entry.fate();
  }

  /** A consistent copy. States without tickets are absent. */
  synchronized Map<Fate, List<Entry>> byFate() {
    return entries.values().stream().collect(groupingBy(Entry::fate));
  }
}
