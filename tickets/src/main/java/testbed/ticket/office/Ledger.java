package testbed.ticket.office;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import testbed.contracts.ReservationId;

/**
 * The last fate of each ticket, in the order of these events. It outlives the ticket itself, so
 * that each one can be accounted for. Bounded: the oldest entries go.
 */
final class Ledger {

  private final int most;

  /** Guarded by this. */
  private final LinkedHashMap<ReservationId, Fate> fates = new LinkedHashMap<>();

  Ledger(int most) {
    this.most = most;
  }

  synchronized void note(ReservationId id, Fate fate) {
    fates.putLast(id, fate);
    if (fates.size() > most) {
      fates.pollFirstEntry();
    }
  }

  synchronized @Nullable Fate of(ReservationId id) {
    return fates.get(id);
  }

  synchronized List<ReservationId> all(Fate fate) {
    return fates.entrySet().stream()
        .filter(entry -> entry.getValue() == fate)
        .map(Map.Entry::getKey)
        .toList();
  }
}
