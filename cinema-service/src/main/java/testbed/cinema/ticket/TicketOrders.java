package testbed.cinema.ticket;

import testbed.contracts.ReservationId;
import testbed.contracts.ReservationRequest;
import testbed.support.problem.ProblemException;
import testbed.ticket.office.TicketsRefused;

/** Orders tickets of stored reservations. A ticket that is ordered twice is built once. */
@FunctionalInterface
interface TicketOrders {

  /**
   * Orders a ticket.
   *
   * @throws TicketsRefused if there is no place for it
   * @throws ProblemException if it is not known whether there will be a ticket
   */
  void order(ReservationId id, ReservationRequest reservation);
}
