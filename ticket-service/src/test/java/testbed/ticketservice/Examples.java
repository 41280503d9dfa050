package testbed.ticketservice;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.UUID;
import testbed.contracts.MovieId;
import testbed.contracts.Reservation;
import testbed.contracts.ReservationId;
import testbed.contracts.ReservationRequest;
import testbed.contracts.ShowTime;

/** The thesis's example reservation (listing 4.14). */
public final class Examples {

  /** The body of {@link #janesReservation()} as a cinema writes it. */
  public static final String JANES_RESERVATION =
      """
      {"clientName": "Jane Doe", "clientEmail": "jane.doe@ucd.ie", "movieId": "CNW001",
       "date": "2022-04-15", "showTime": "18:00", "tickets": 2, "ticketType": "Gold",
       "amount": 30.00}
      """;

  private Examples() {}

  public static ReservationRequest janesReservation() {
    return new ReservationRequest(
        "Jane Doe",
        "jane.doe@ucd.ie",
        new MovieId("CNW001"),
        LocalDate.of(2022, 4, 15),
        ShowTime.parse("18:00"),
        2,
        "Gold",
        new BigDecimal("30.00"));
  }

  public static Reservation janes(ReservationId id) {
    return Reservation.of(id, janesReservation());
  }

  public static ReservationId someId() {
    return new ReservationId(UUID.randomUUID());
  }
}
