package testbed.contracts.message;

import testbed.contracts.Page;
import testbed.contracts.ReservationRequest;

/** What the broker asks of cinemas. The AMQP correlation id is the request's identity. */
public sealed interface CinemaRequest {

  /** Asks for a sign of presence ({@link CinemaPresent}) now; there is no response. */
  record AnnouncePresence() implements CinemaRequest {}

  /** Asks for the catalogue. */
  record ListMovies() implements CinemaRequest {}

  /** Asks for a page of the stored reservations. */
  record ListReservations(Page page) implements CinemaRequest {}

  /** Asks for a reservation; its constraints were checked by the sender and are checked again. */
  record MakeReservation(ReservationRequest reservation) implements CinemaRequest {}
}
