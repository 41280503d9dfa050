package testbed.ticket.office;

import java.util.List;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import testbed.contracts.ReservationId;

/** What became of each ticket, by the id of its reservation. */
@Endpoint(id = "tickets")
public final class TicketAccounts {

  /**
   * The newest tickets by what became of them, each list in the order of the events.
   *
   * @param dropped thrown out of the queue of this process; an AMQP server does not tell whom it
   *     drops
   * @param refused by this service
   * @param waiting how many wait; -1 if the AMQP server does not answer
   */
  public record Accounts(
      List<String> built,
      List<String> dropped,
      List<String> failed,
      List<String> refused,
      int waiting) {}

  private final TicketOffice office;
  private final IntSupplier waiting;

  TicketAccounts(TicketOffice office, IntSupplier waiting) {
    this.office = office;
    this.waiting = waiting;
  }

  @ReadOperation
  public Accounts accounts() {
    var tickets = office.byFate();
    return new Accounts(
        ids(tickets.get(Fate.BUILT)),
        ids(tickets.get(Fate.DROPPED)),
        ids(tickets.get(Fate.FAILED)),
        ids(tickets.get(Fate.REFUSED)),
        waiting.getAsInt());
  }

  private static List<String> ids(@Nullable List<ReservationId> tickets) {
    return tickets == null ? List.of() : tickets.stream().map(ReservationId::toString).toList();
  }
}
