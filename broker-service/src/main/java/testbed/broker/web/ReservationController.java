package testbed.broker.web;

import jakarta.validation.Valid;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import testbed.broker.operation.CinemaUnknown;
import testbed.broker.operation.CorrelationId;
import testbed.broker.operation.Operation;
import testbed.broker.operation.Operations;
import testbed.contracts.CinemaName;
import testbed.contracts.Page;
import testbed.contracts.ReservationRequest;

/** Reservations at one cinema (thesis, section 5.2.1). */
@RestController
class ReservationController {

  private static final String RESERVATION = "/api/cinema/{cinema}/reservation";
  private static final String MAKE = RESERVATION + "/make";
  private static final String LIST = RESERVATION + "/list";
  private static final String CINEMA = "{cinema}";

  private final Operations operations;
  private final Fetch fetch;

  ReservationController(Operations operations, Fetch fetch) {
    this.operations = operations;
    this.fetch = fetch;
  }

  @PostMapping(MAKE)
  ResponseEntity<String> make(
      @PathVariable String cinema, @Valid @RequestBody ReservationRequest request) {
    return Acknowledgement.of(
        operations.makeReservation(named(cinema), request), MAKE.replace(CINEMA, cinema));
  }

  @GetMapping(MAKE + "/{id}")
  ResponseEntity<?> made(
      @PathVariable String cinema,
      @PathVariable CorrelationId id,
      @RequestHeader HttpHeaders headers) {
    return fetch.answer(id, new Operation.MakeReservation(named(cinema)), headers);
  }

  @GetMapping(LIST)
  ResponseEntity<String> list(@PathVariable String cinema, Page page) {
    return Acknowledgement.of(
        operations.listReservations(named(cinema), page), listOf(named(cinema)));
  }

  /** Where pages of a cinema's reservations are asked for. */
  static String listOf(CinemaName cinema) {
    return LIST.replace(CINEMA, cinema.value());
  }

  @GetMapping(LIST + "/{id}")
  ResponseEntity<?> listed(
      @PathVariable String cinema,
      @PathVariable CorrelationId id,
      @RequestHeader HttpHeaders headers) {
    return fetch.answer(id, new Operation.ListReservations(named(cinema)), headers);
  }

  /** What cannot be a cinema's name is the name of no cinema. */
  private static CinemaName named(String cinema) {
    return CinemaName.parse(cinema).orElseThrow(() -> new CinemaUnknown(cinema));
  }
}
