package testbed.cinema.web;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import testbed.cinema.reservation.MayBeStored;
import testbed.contracts.ProblemType;
import testbed.support.problem.Problems;

/** Says that the database is not available, which is no fault of the request or of the code. */
@RestControllerAdvice
@Order(Ordered.HIGHEST_PRECEDENCE)
class DatabaseAdvice {

  private static final Logger log = LoggerFactory.getLogger(DatabaseAdvice.class);

  @ExceptionHandler
  ProblemDetail databaseUnavailable(DataAccessResourceFailureException unavailable) {
    log.warn("Database not available: {}", unavailable.getMessage());
    return Problems.of(ProblemType.UNAVAILABLE, "The cinema's database does not answer.");
  }

  /** Not 503, which would mean that it is not stored. */
  @ExceptionHandler
  ProblemDetail reservationMayBeStored(MayBeStored unknown) {
    log.warn("Database not available: {}", unknown.getMessage());
    return Problems.of(
        ProblemType.NO_ANSWER,
        "The cinema's database has not answered: the reservation may have been made.");
  }
}
