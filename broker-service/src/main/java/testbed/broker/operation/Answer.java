package testbed.broker.operation;

import java.util.List;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;
import testbed.contracts.Reservation;
import testbed.contracts.ReservationPage;

/** What a fetch finds. */
public sealed interface Answer {

  /** Not everybody who was asked has answered, and the deadline has not passed. */
  record Pending() implements Answer {}

  /**
   * The cinemas that answered, by name.
   *
   * @param missing those that are known and did not, by name
   */
  record Movies(List<Cinema> cinemas, List<CinemaName> missing) implements Answer {}

  /** The reservation as the cinema stored it. */
  record Made(Reservation reservation) implements Answer {}

  /** A page of the cinema's reservations. */
  record Listed(CinemaName cinema, ReservationPage found) implements Answer {}
}
