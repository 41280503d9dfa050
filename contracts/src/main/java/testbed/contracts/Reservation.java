package testbed.contracts;

import java.math.BigDecimal;
import java.time.LocalDate;

/** A stored reservation: its id and everything the client asked for. */
public record Reservation(
    ReservationId id,
    String clientName,
    String clientEmail,
    MovieId movieId,
    LocalDate date,
    ShowTime showTime,
    int tickets,
    String ticketType,
    BigDecimal amount) {

  public static Reservation of(ReservationId id, ReservationRequest request) {
    return new Reservation(
        id,
        request.clientName(),
        request.clientEmail(),
        request.movieId(),
        request.date(),
        request.showTime(),
        request.tickets(),
        request.ticketType(),
        request.amount());
  }
}
