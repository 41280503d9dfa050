package testbed.cinema.reservation;

import testbed.contracts.ProblemType;
import testbed.contracts.Reservation;
import testbed.support.problem.ProblemException;

/** The showing has fewer free seats than are wanted. */
public class SoldOut extends ProblemException {

  SoldOut(Reservation wanted) {
    super(
        ProblemType.SOLD_OUT,
        "%s on %s at %s has no %d seats left."
            .formatted(wanted.movieId(), wanted.date(), wanted.showTime(), wanted.tickets()));
  }
}
