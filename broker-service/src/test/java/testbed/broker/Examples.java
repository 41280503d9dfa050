package testbed.broker;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.List;
import java.util.UUID;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;
import testbed.contracts.Movie;
import testbed.contracts.MovieId;
import testbed.contracts.Reservation;
import testbed.contracts.ReservationId;
import testbed.contracts.ReservationRequest;
import testbed.contracts.ShowTime;
import testbed.contracts.message.CinemaMessage.ListMovies.MoviesListed;

/** Values that the tests share. */
public final class Examples {

  public static final CinemaName CINEWORLD = new CinemaName("cineworld");
  public static final CinemaName DUNDRUM = new CinemaName("dundrum");
  public static final CinemaName UCD = new CinemaName("ucd");

  private Examples() {}

  public static Cinema catalogueOf(CinemaName cinema) {
    return Cinema.of(
        cinema,
        List.of(new Movie(new MovieId("M1"), "The Godfather", List.of(ShowTime.parse("11:00")))));
  }

  public static MoviesListed moviesOf(CinemaName cinema) {
    return new MoviesListed(cinema, catalogueOf(cinema));
  }

  public static ReservationRequest reservationFor(String clientName) {
    return new ReservationRequest(
        clientName,
        "jane.doe@ucd.ie",
        new MovieId("M1"),
        LocalDate.of(2022, 4, 15),
        ShowTime.parse("11:00"),
        2,
        "Gold",
        new BigDecimal("29.90"));
  }

  public static Reservation made(UUID id, ReservationRequest request) {
    return Reservation.of(new ReservationId(id), request);
  }
}
