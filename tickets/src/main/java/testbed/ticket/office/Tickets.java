package testbed.ticket.office;

import java.time.Duration;
import testbed.contracts.ReservationId;

/** Fetches tickets from this process or from the ticket service. */
@FunctionalInterface
public interface Tickets {

  /**
   * The ticket of a reservation.
   *
   * @param wait how long to wait for one that is not built yet
   */
  Found find(ReservationId id, Duration wait);

  /** The result of a fetch. */
  sealed interface Found {

    /** The bytes of the PDF. */
    record Ticket(byte[] pdf) implements Found {}

    /** It is ordered and not built yet. */
    record Waiting() implements Found {}

    /** It was dropped, failed or expired. */
    record Gone() implements Found {}

    /** It was not ordered. */
    record Unknown() implements Found {}
  }
}
