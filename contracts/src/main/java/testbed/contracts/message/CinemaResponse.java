package testbed.contracts.message;

import java.util.List;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;
import testbed.contracts.ProblemType;
import testbed.contracts.Reservation;

/** What a cinema answers, under the correlation id of the request. */
public sealed interface CinemaResponse {

  /** The cinema that answers. */
  CinemaName cinema();

  /** The catalogue. */
  record MoviesListed(CinemaName cinema, Cinema catalogue) implements CinemaResponse {}

  /** Every stored reservation. */
  record ReservationsListed(CinemaName cinema, List<Reservation> reservations)
      implements CinemaResponse {

    public ReservationsListed {
      reservations = List.copyOf(reservations);
    }
  }

  /** The reservation as stored. */
  record ReservationMade(CinemaName cinema, Reservation reservation) implements CinemaResponse {}

  /** The request was understood and refused, or failed for good; nothing was stored. */
  record RequestRejected(CinemaName cinema, ProblemType problem, String detail)
      implements CinemaResponse {}
}
