package testbed.cinema;

import java.math.BigDecimal;
import java.time.LocalDate;
import testbed.contracts.MovieId;
import testbed.contracts.ReservationRequest;
import testbed.contracts.ShowTime;

/** The thesis's example reservation (listing 4.14) and its variations. */
public final class Examples {

  /** The body of {@link #janesReservation()} as a client writes it. */
  public static final String JANES_RESERVATION =
      """
      {"clientName": "Jane Doe", "clientEmail": "jane.doe@ucd.ie", "movieId": "CNW001",
       "date": "2022-04-15", "showTime": "18:00", "tickets": 2, "ticketType": "Gold",
       "amount": 30.00}
      """;

  private Examples() {}

  public static ReservationRequest janesReservation() {
    return reservation("CNW001", "18:00");
  }

  public static ReservationRequest reservation(String movie, String showTime) {
    return new ReservationRequest(
        "Jane Doe",
        "jane.doe@ucd.ie",
        new MovieId(movie),
        LocalDate.of(2022, 4, 15),
        ShowTime.parse(showTime),
        2,
        "Gold",
        new BigDecimal("30.00"));
  }
}
