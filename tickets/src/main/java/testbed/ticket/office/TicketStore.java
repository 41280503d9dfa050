package testbed.ticket.office;

import java.util.LinkedHashMap;
import org.jspecify.annotations.Nullable;
import testbed.contracts.ReservationId;

/** Finished tickets, bounded in bytes: the oldest go first. */
final class TicketStore {

  /** About the memory of an entry beside the ticket's bytes. */
  static final long OVERHEAD_BYTES = 200;

  private final long maxBytes;

  /** Guarded by this. */
  private final LinkedHashMap<ReservationId, byte[]> tickets = new LinkedHashMap<>();

  /** Guarded by this. */
  private long bytes;

  /** Guarded by this. */
  private long evicted;

  TicketStore(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  synchronized void keep(ReservationId id, byte[] pdf) {
    letGo(tickets.remove(id));
    tickets.putLast(id, pdf);
    bytes += size(pdf);
    while (bytes > maxBytes) {
      letGo(tickets.pollFirstEntry().getValue());
      evicted++;
    }
  }

  synchronized byte @Nullable [] find(ReservationId id) {
    return tickets.get(id);
  }

  synchronized int tickets() {
    return tickets.size();
  }

  synchronized long bytes() {
    return bytes;
  }

  /** The number of tickets so far that were removed for newer ones. */
  synchronized long evicted() {
    return evicted;
  }

  private void letGo(byte @Nullable [] pdf) {
    if (pdf != null) {
      bytes -= size(pdf);
    }
  }

  private static long size(byte[] pdf) {
    return pdf.length + OVERHEAD_BYTES;
  }
}
