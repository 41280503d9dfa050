package testbed.broker.web;

import jakarta.validation.Valid;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.http.ResponseEntity.BodyBuilder;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import testbed.broker.operation.CorrelationId;
import testbed.broker.operation.Operation;
import testbed.contracts.IdempotencyKey;
import testbed.contracts.Page;
import testbed.contracts.ReservationRequest;
import testbed.contracts.message.CinemaMessage.ListReservations;
import testbed.contracts.message.CinemaMessage.ListReservations.ReservationsListed;
import testbed.contracts.message.CinemaMessage.MakeReservation;
import testbed.contracts.message.CinemaMessage.MakeReservation.ReservationMade;
import testbed.support.web.Paging;

/** Reservations at one cinema (thesis, section 5.2.1). */
@RestController
class ReservationController {

  private static final String RESERVATION = "/api/cinema/{cinema}/reservation";
  static final String MAKE = RESERVATION + "/make";
  static final String MADE = MAKE + "/{id}";
  private static final String LIST = RESERVATION + "/list";
  private static final String CINEMA = "{cinema}";

  private final RequestReply operations;

  ReservationController(RequestReply operations) {
    this.operations = operations;
  }

  @PostMapping(MAKE)
  ResponseEntity<?> make(
      @PathVariable String cinema,
      @Nullable IdempotencyKey key,
      @Valid @RequestBody ReservationRequest request,
      @RequestHeader HttpHeaders headers) {
    return operations.start(
        Operation.at(cinema, ReservationMade.class),
        new MakeReservation(request, key),
        MAKE.replace(CINEMA, cinema),
        headers,
        ReservationController::write);
  }

  @GetMapping(MADE)
  ResponseEntity<?> made(
      @PathVariable String cinema,
      @PathVariable CorrelationId id,
      @RequestHeader HttpHeaders headers) {
    return operations.fetch(
        id, Operation.at(cinema, ReservationMade.class), headers, ReservationController::write);
  }

  @GetMapping(LIST)
  ResponseEntity<?> list(
      @PathVariable String cinema, Page page, @RequestHeader HttpHeaders headers) {
    return operations.start(
        Operation.at(cinema, ReservationsListed.class),
        new ListReservations(page),
        LIST.replace(CINEMA, cinema),
        headers,
        (response, listed) -> write(response, listed, cinema));
  }

  @GetMapping(LIST + "/{id}")
  ResponseEntity<?> listed(
      @PathVariable String cinema,
      @PathVariable CorrelationId id,
      @RequestHeader HttpHeaders headers) {
    return operations.fetch(
        id,
        Operation.at(cinema, ReservationsListed.class),
        headers,
        (response, listed) -> write(response, listed, cinema));
  }

  private static ResponseEntity<?> write(BodyBuilder response, List<ReservationMade> made) {
    return response.body(made.getFirst().reservation());
  }

  private static ResponseEntity<?> write(
      BodyBuilder response, List<ReservationsListed> listed, String cinema) {
    var page = listed.getFirst().reservations();
    return response
        .headers(Paging.headers(page.page(), page.total(), LIST.replace(CINEMA, cinema)))
        .body(page.reservations());
  }
}
