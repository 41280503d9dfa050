package testbed.cinema.reservation;

import org.springframework.dao.DataAccessResourceFailureException;

/** The database was asked to store a reservation and has not answered. */
public class MayBeStored extends DataAccessResourceFailureException {

  MayBeStored(Throwable reason) {
    super("The reservation may be stored", reason);
  }
}
