package testbed.cinema.ticket;

import java.util.UUID;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PutExchange;
import testbed.contracts.ReservationRequest;
import testbed.support.web.PreferredWait;

/** What the cinema asks of the ticket service. Error statuses are answers, not exceptions. */
@HttpExchange("/tickets/{id}")
interface TicketServiceApi {

  /** Builds a ticket now: 201, or 200 if it exists already, or 503 if there is no place. */
  @PutExchange
  ResponseEntity<Void> build(@PathVariable UUID id, @RequestBody ReservationRequest body);

  /** Fetches a ticket: 200, 202, 404 or 410. */
  @GetExchange
  ResponseEntity<byte[]> fetch(
      @PathVariable UUID id, @RequestHeader(PreferredWait.HEADER) String preference);
}
