package testbed.ticket.web;

import java.time.Duration;
import java.util.UUID;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import testbed.contracts.ProblemType;
import testbed.contracts.ReservationId;
import testbed.support.problem.ProblemException;
import testbed.support.web.PreferredWait;
import testbed.ticket.TicketSettings;
import testbed.ticket.office.Tickets;
import testbed.ticket.office.Tickets.Found;

/** Serves tickets. */
@RestController
public class TicketController {

  private static final String RETRY_AFTER_SECONDS = "1";

  private final Tickets tickets;
  private final Duration longestWait;

  TicketController(Tickets tickets, TicketSettings settings) {
    this.tickets = tickets;
    this.longestWait = settings.maxWait();
  }

  @GetMapping("/tickets/{id}")
  ResponseEntity<byte[]> fetch(@PathVariable UUID id, @RequestHeader HttpHeaders headers) {
    var wait = PreferredWait.in(headers, longestWait);
    return switch (tickets.find(new ReservationId(id), wait.orElse(Duration.ZERO))) {
      case Found.Ticket(var pdf) ->
          PreferredWait.applied(ResponseEntity.ok(), wait)
              .contentType(MediaType.APPLICATION_PDF)
              .body(pdf);
      case Found.Waiting() ->
          PreferredWait.applied(ResponseEntity.status(HttpStatus.ACCEPTED), wait)
              .header(HttpHeaders.RETRY_AFTER, RETRY_AFTER_SECONDS)
              .build();
      case Found.Gone() -> throw new TicketGone(id);
      case Found.Unknown() -> throw new TicketUnknown(id);
    };
  }

  static class TicketGone extends ProblemException {

    TicketGone(UUID id) {
      super(ProblemType.TICKET_GONE, "The ticket of reservation %s is not kept.".formatted(id));
    }
  }

  static class TicketUnknown extends ProblemException {

    TicketUnknown(UUID id) {
      super(ProblemType.TICKET_UNKNOWN, "No ticket of reservation %s is wanted.".formatted(id));
    }
  }
}
