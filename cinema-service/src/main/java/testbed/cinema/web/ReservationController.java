package testbed.cinema.web;

import static org.springframework.http.HttpHeaders.LINK;
import static org.springframework.http.HttpHeaders.LOCATION;

import jakarta.validation.Valid;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import testbed.cinema.CinemaSettings;
import testbed.cinema.reservation.Reservations;
import testbed.cinema.ticket.Ticketing;
import testbed.contracts.CinemaName;
import testbed.contracts.IdempotencyKey;
import testbed.contracts.Page;
import testbed.contracts.Reservation;
import testbed.contracts.ReservationId;
import testbed.contracts.ReservationRequest;
import testbed.support.web.Paging;

/** Making and reading reservations. */
@HttpEdge
@RequestMapping("/cinema/${cinema.name}/reservation")
class ReservationController {

  private static final String TICKET = "<%s>; rel=\"related\"; type=\"application/pdf\"";

  private final CinemaName cinema;
  private final Reservations reservations;
  private final @Nullable Ticketing tickets;

  ReservationController(
      CinemaSettings settings, Reservations reservations, ObjectProvider<Ticketing> tickets) {
    this.cinema = settings.cinemaName();
    this.reservations = reservations;
    this.tickets = tickets.getIfAvailable();
  }

  @PostMapping("/make")
  ResponseEntity<Reservation> make(
      @Nullable IdempotencyKey key, @Valid @RequestBody ReservationRequest request) {
    var reservation = reservations.make(key, () -> new ReservationId(UUID.randomUUID()), request);
    var created =
        ResponseEntity.status(HttpStatus.CREATED)
            .header(LOCATION, "/cinema/" + cinema + "/reservation/" + reservation.id());
    if (tickets != null) {
      created.header(LINK, TICKET.formatted(tickets.order(reservation.id(), key, request)));
    }
    return created.body(reservation);
  }

  @GetMapping("/list")
  ResponseEntity<List<Reservation>> list(Page page) {
    var listed = reservations.list(page);
    return ResponseEntity.ok()
        .headers(
            Paging.headers(page, listed.total(), "/cinema/%s/reservation/list".formatted(cinema)))
        .body(listed.reservations());
  }

  /** Except "make": GET there must get 405, because it takes POST only. */
  @GetMapping("/{id:(?!make$).*}")
  Reservation get(@PathVariable UUID id) {
    return reservations.get(new ReservationId(id));
  }
}
