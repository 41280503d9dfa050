package testbed.contracts.message;

import testbed.contracts.Page;
import testbed.contracts.ReservationRequest;

/** What the broker asks of cinemas. The AMQP correlation id is the request's identity. */
public sealed interface CinemaRequest {

  /** Asks for a sign of presence ({@link CinemaPresent}) now; there is no response. */
  record AnnouncePresence() implements CinemaRequest {}

  /** What is answered with a {@link CinemaResponse}. */
  sealed interface WithResponse extends CinemaRequest {}

  /** Asks for the catalogue. */
  record ListMovies() implements WithResponse {}

  /** Asks for a page of the stored reservations. */
  record ListReservations(Page page) implements WithResponse {}

  /** Asks for a reservation; its constraints were checked by the sender and are checked again. */
  record MakeReservation(ReservationRequest reservation) implements WithResponse {}
}
