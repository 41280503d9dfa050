package testbed.contracts.message;

import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;
import testbed.contracts.ProblemType;
import testbed.contracts.Reservation;
import testbed.contracts.ReservationPage;

/** What a cinema answers, under the correlation id of the request. */
public sealed interface CinemaResponse {

  /** The cinema that answers. */
  CinemaName cinema();

  /** The catalogue. */
  record MoviesListed(CinemaName cinema, Cinema catalogue) implements CinemaResponse {}

  /** A page of the stored reservations. */
  record ReservationsListed(CinemaName cinema, ReservationPage reservations)
      implements CinemaResponse {}

  /** The reservation as stored. */
  record ReservationMade(CinemaName cinema, Reservation reservation) implements CinemaResponse {}

  /** The request was understood and refused, or failed for good; nothing was stored. */
  record RequestRejected(CinemaName cinema, ProblemType problem, String detail)
      implements CinemaResponse {}
}
