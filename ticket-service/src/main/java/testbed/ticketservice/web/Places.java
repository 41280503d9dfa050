package testbed.ticketservice.web;

import java.util.concurrent.Semaphore;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.stereotype.Component;
import testbed.contracts.Reservation;
import testbed.contracts.ReservationId;
import testbed.ticket.TicketSettings;
import testbed.ticket.office.TicketOffice;
import testbed.ticket.office.TicketsRefused;
import testbed.ticket.office.WaitingTickets;

/** Builds a limited number of tickets at once, and refuses more: there is no queue. */
@Component
@ConditionalOnProperty(name = "ticket.source", havingValue = "http")
class Places implements WaitingTickets {

  private final TicketOffice office;
  private final Semaphore free;

  Places(TicketOffice office, TicketSettings settings) {
    this.office = office;
    this.free = new Semaphore(settings.consumers());
  }

  /**
   * Builds a ticket.
   *
   * @return false if it existed already
   * @throws TicketsRefused if every place is taken
   */
  boolean build(Reservation reservation) {
    if (!admit(reservation.id())) {
      return false;
    }
    try {
      office.buildOrFail(reservation);
      return true;
    } finally {
      free.release();
    }
  }

  /**
   * One at a time: a second order of the same ticket must not count as accepted before the first
   * one is.
   */
  private synchronized boolean admit(ReservationId id) {
    if (!office.accept(id)) {
      return false;
    }
    if (!free.tryAcquire()) {
      office.refuse(id);
      throw new TicketsRefused();
    }
    return true;
  }

  @Override
  public int getAsInt() {
    return 0;
  }
}
