package testbed.cinema.ticket;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.dao.DataAccessException;
import org.springframework.stereotype.Component;
import testbed.cinema.reservation.Reservations;
import testbed.contracts.IdempotencyKey;
import testbed.contracts.Reservation;
import testbed.contracts.ReservationId;
import testbed.contracts.ReservationRequest;
import testbed.support.deadline.Deadline;
import testbed.support.deadline.DeadlinePassed;
import testbed.support.problem.ProblemException;
import testbed.ticket.office.TicketsRefused;

/** Makes reservations, and orders their tickets where the cinema has any. */
@Component
public class Ticketing {

  private static final Logger log = LoggerFactory.getLogger(Ticketing.class);

  /** How long a reservation whose ticket was refused may take to be withdrawn. */
  private static final Duration WITHDRAWAL = Duration.ofSeconds(2);

  private final Reservations reservations;
  private final @Nullable TicketOrders orders;
  private final Counter accepted;
  private final Counter refused;
  private final Counter unknown;

  Ticketing(Reservations reservations, ObjectProvider<TicketOrders> orders, MeterRegistry meters) {
    this.reservations = reservations;
    this.orders = orders.getIfAvailable();
    this.accepted = ordered("accepted", meters);
    this.refused = ordered("refused", meters);
    this.unknown = ordered("unknown", meters);
  }

  /**
   * Makes a reservation and orders its ticket. Without a ticket there is no reservation, either,
   * unless the request has a key: its client can send it again, which orders the ticket again.
   *
   * @throws ProblemException if there is no reservation, or no ticket of it
   */
  public Reservation make(@Nullable IdempotencyKey key, ReservationRequest request) {
    var reservation =
        key == null
            ? reservations.make(new ReservationId(UUID.randomUUID()), request)
            : reservations.make(key, request);
    if (orders != null) {
      try {
        order(orders, reservation.id(), request);
      } catch (RuntimeException without) {
        if (key == null) {
          withdraw(reservation.id());
        }
        throw without;
      }
    }
    return reservation;
  }

  /** Where the ticket of a reservation is fetched; empty if there are no tickets. */
  public Optional<URI> ticketOf(Reservation reservation) {
    return orders == null
        ? Optional.empty()
        : Optional.of(URI.create("/tickets/" + reservation.id()));
  }

  private void order(TicketOrders orders, ReservationId id, ReservationRequest request) {
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
