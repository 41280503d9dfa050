package testbed.cinema.ticket;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;
import org.springframework.http.HttpStatus;
import org.springframework.web.client.RestClientException;
import testbed.contracts.ProblemType;
import testbed.contracts.ReservationId;
import testbed.contracts.ReservationRequest;
import testbed.support.problem.ProblemException;
import testbed.ticket.office.Tickets;
import testbed.ticket.office.TicketsRefused;

/** The ticket service, by HTTP. */
class TicketService implements TicketOrders, Tickets {

  private final TicketServiceApi orders;
  private final TicketServiceApi fetches;

  /**
   * @param fetches waits longer for an answer
   */
  TicketService(TicketServiceApi orders, TicketServiceApi fetches) {
    this.orders = orders;
    this.fetches = fetches;
  }

  @Override
  public void order(ReservationId id, ReservationRequest reservation) {
    var status = answer(() -> orders.build(id.value(), reservation).getStatusCode());
    if (status.isSameCodeAs(HttpStatus.SERVICE_UNAVAILABLE)) {
      throw new TicketsRefused();
    }
    if (!status.is2xxSuccessful()) {
      throw new NoAnswer();
    }
  }

  @Override
  public Found find(ReservationId id, Duration wait) {
    var answer = answer(() -> fetches.fetch(id.value(), "wait=" + wait.toSeconds()));
    return switch (HttpStatus.resolve(answer.getStatusCode().value())) {
      case OK -> new Found.Ticket(Objects.requireNonNull(answer.getBody()));
      case ACCEPTED -> new Found.Waiting();
      case NOT_FOUND -> new Found.Unknown();
      case GONE -> new Found.Gone();
      case null, default -> throw new NoAnswer();
    };
  }

  private static <T> T answer(Supplier<T> question) {
    try {
      return question.get();
    } catch (RestClientException unreachable) {
      throw new NoAnswer();
    }
  }

  /** The ticket service is away, or its answer cannot be used. */
  static class NoAnswer extends ProblemException {

    NoAnswer() {
      super(ProblemType.UNAVAILABLE, "The ticket service does not answer.");
    }
  }
}
