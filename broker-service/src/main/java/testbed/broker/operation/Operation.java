package testbed.broker.operation;

import testbed.contracts.CinemaName;

/** What a client asked for. A fetch names it again, and gets the answer to no other operation. */
public sealed interface Operation {

  /** The movies of every cinema. */
  record ListMovies() implements Operation {}

  /** Asks one cinema. */
  sealed interface AtOneCinema extends Operation {

    CinemaName cinema();
  }

  /** A reservation at one cinema. */
  record MakeReservation(CinemaName cinema) implements AtOneCinema {}

  /** A page of one cinema's reservations. */
  record ListReservations(CinemaName cinema) implements AtOneCinema {}
}
