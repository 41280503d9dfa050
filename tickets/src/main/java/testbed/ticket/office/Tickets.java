package testbed.ticket.office;

import java.time.Duration;
import testbed.contracts.ReservationId;

/** Where tickets are fetched: in this process, or at the ticket service. */
@FunctionalInterface
public interface Tickets {

  /**
   * The ticket of a reservation.
   *
   * @param wait how long to wait for one that is not there yet
   */
  Found find(ReservationId id, Duration wait);

  /** What is found. */
  sealed interface Found {

    /** The bytes of the PDF. */
    record Ticket(byte[] pdf) implements Found {}

    /** It is accepted and not built yet. */
    record Waiting() implements Found {}

    /** There will be none any more. */
    record Gone() implements Found {}

    /** Nobody has asked for it. */
    record Unknown() implements Found {}
  }
}
