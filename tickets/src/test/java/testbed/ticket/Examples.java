package testbed.ticket;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.UUID;
import testbed.contracts.MovieId;
import testbed.contracts.Reservation;
import testbed.contracts.ReservationId;
import testbed.contracts.ShowTime;

/** The thesis's example reservation (listing 4.14) and its variations. */
public final class Examples {

  private Examples() {}

  public static ReservationId someId() {
    return new ReservationId(UUID.randomUUID());
  }

  public static Reservation janes(ReservationId id) {
    return reservation(id, "Jane Doe");
  }

  public static Reservation reservation(ReservationId id, String name) {
    return new Reservation(
        id,
        name,
        "jane.doe@ucd.ie",
        new MovieId("CNW001"),
        LocalDate.of(2022, 4, 15),
        ShowTime.parse("18:00"),
        2,
        "Gold",
        new BigDecimal("30.0"));
  }
}
