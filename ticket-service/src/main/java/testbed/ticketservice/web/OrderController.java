package testbed.ticketservice.web;

import jakarta.validation.Valid;
import java.net.URI;
import java.util.UUID;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import testbed.contracts.Reservation;
import testbed.contracts.ReservationId;
import testbed.contracts.ReservationRequest;

/** Orders of tickets that are built at once. */
@RestController
@ConditionalOnProperty(name = "ticket.source", havingValue = "http")
class OrderController {

  private final Places places;

  OrderController(Places places) {
    this.places = places;
  }

  @PutMapping("/tickets/{id}")
  ResponseEntity<Void> build(
      @PathVariable UUID id, @Valid @RequestBody ReservationRequest request) {
    return places.build(Reservation.of(new ReservationId(id), request))
        ? ResponseEntity.created(URI.create("/tickets/" + id)).build()
        : ResponseEntity.ok().build();
  }
}
