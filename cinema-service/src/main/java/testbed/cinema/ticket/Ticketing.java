package testbed.cinema.ticket;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import testbed.cinema.reservation.Reservations;
import testbed.contracts.IdempotencyKey;
import testbed.contracts.ReservationId;
import testbed.contracts.ReservationRequest;
import testbed.support.deadline.Deadline;
import testbed.support.deadline.DeadlinePassed;
import testbed.support.problem.ProblemException;
import testbed.ticket.office.TicketsRefused;

/** Orders the tickets of reservations, where the cinema has any. */
public class Ticketing {

  private static final Logger log = LoggerFactory.getLogger(Ticketing.class);

  /** How long a reservation whose ticket was refused may take to be withdrawn. */
  private static final Duration WITHDRAWAL = Duration.ofSeconds(2);

  private final Reservations reservations;
  private final TicketOrders orders;
  private final Counter accepted;
  private final Counter refused;
  private final Counter unknown;

  Ticketing(Reservations reservations, TicketOrders orders, MeterRegistry meters) {
    this.reservations = reservations;
    this.orders = orders;
    this.accepted = ordered("accepted", meters);
    this.refused = ordered("refused", meters);
    this.unknown = ordered("unknown", meters);
  }

  /**
   * Orders the ticket of a reservation. Without a ticket there is no reservation, either, unless
   * the request has a key: its client can send it again, which orders the ticket again.
   *
   * @param key of the request that has made the reservation
   * @return where the ticket is fetched
   * @throws ProblemException if there is no ticket
   */
  public URI order(ReservationId id, @Nullable IdempotencyKey key, ReservationRequest request) {
    try {
      order(id, request);
    } catch (RuntimeException without) {
      if (key == null) {
        withdraw(id);
      }
      throw without;
    }
    return URI.create("/tickets/" + id);
  }

  private void order(ReservationId id, ReservationRequest request) {
    try {
      orders.order(id, request);
      accepted.increment();
    } catch (TicketsRefused full) {
      refused.increment();
      throw full;
    } catch (RuntimeException unsure) {
      unknown.increment();
      throw unsure;
    }
  }

  private void withdraw(ReservationId id) {
    // With a deadline of its own: the order may have used up that of the request.
    try (var bound = Deadline.of(WITHDRAWAL, Duration.ZERO).bind()) {
      reservations.withdraw(id);
    } catch (DataAccessException | DeadlinePassed unavailable) {
      log.error("Reservation {} stays, without a ticket: {}", id, unavailable.getMessage());
    }
  }

  private static Counter ordered(String outcome, MeterRegistry meters) {
    return Counter.builder("tickets.ordered")
        .description("Tickets that the cinema has ordered")
        .tag("outcome", outcome)
        .register(meters);
  }
}
