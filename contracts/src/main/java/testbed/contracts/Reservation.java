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

  /** Whether it was asked for like this. Amounts are compared by value: 30.0 is 30.00. */
  public boolean fulfils(ReservationRequest request) {
    return amount.compareTo(request.amount()) == 0
        && of(id, request).equals(withAmount(request.amount()));
  }

  private Reservation withAmount(BigDecimal other) {
    return new Reservation(
        id, clientName, clientEmail, movieId, date, showTime, tickets, ticketType, other);
  }
}
