package testbed.ticket.office;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;

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

  /** All at one moment. A fate that no ticket has is absent. */
  synchronized Map<Fate, List<ReservationId>> byFate() {
    return fates.entrySet().stream()
        .collect(groupingBy(Map.Entry::getValue, mapping(Map.Entry::getKey, toList())));
  }
}
