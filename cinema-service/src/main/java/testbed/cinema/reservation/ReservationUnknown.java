package testbed.cinema.reservation;

import testbed.contracts.CinemaName;
import testbed.contracts.ProblemType;
import testbed.contracts.ReservationId;
import testbed.support.problem.ProblemException;

/** The cinema has stored no reservation under this id. */
public class ReservationUnknown extends ProblemException {

  ReservationUnknown(CinemaName cinema, ReservationId id) {
    super(
        ProblemType.RESERVATION_UNKNOWN, "Cinema %s has no reservation %s.".formatted(cinema, id));
  }
}
