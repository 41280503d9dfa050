package testbed.ticket.office;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** The account of all tickets, by the id of the reservation. */
@Endpoint(id = "tickets")
public final class TicketAccounts {

  /**
   * The newest tickets by state, each list in the order of changes.
   *
   * @param builtAt when each of the built ones was, in milliseconds since the epoch
   * @param dropped from the queue of this process; an AMQP server does not report which messages it
   *     drops
   * @param refused by this service
   * @param settled how many have been built, dropped or given up since the start
   * @param waiting how many wait; -1 if the AMQP server does not answer
   */
  public record Accounts(
      List<String> built,
      List<Long> builtAt,
      List<String> dropped,
      List<String> failed,
      List<String> refused,
      long settled,
      int waiting) {}

  private final TicketOffice office;
  private final IntSupplier waiting;

  TicketAccounts(TicketOffice office, IntSupplier waiting) {
    this.office = office;
    this.waiting = waiting;
  }

  /**
   * Returns the account of tickets.
   *
   * @param ids whether to list the ids; the counts alone are cheap
   */
  @ReadOperation
  public Accounts accounts(@Nullable Boolean ids) {
    var settled = office.settled();
    var tickets = Boolean.FALSE.equals(ids) ? Map.<Fate, List<Ledger.Entry>>of() : office.byFate();
    return new Accounts(
        ids(tickets.get(Fate.BUILT)),
        listed(tickets.get(Fate.BUILT), Ledger.Entry::atMillis),
        ids(tickets.get(Fate.DROPPED)),
        ids(tickets.get(Fate.FAILED)),
        ids(tickets.get(Fate.REFUSED)),
        settled,
        waiting.getAsInt());
  }

  private static List<String> ids(@Nullable List<Ledger.Entry> tickets) {
    return listed(tickets, ticket -> ticket.id().toString());
  }

  private static <T> List<T> listed(
      @Nullable List<Ledger.Entry> tickets, Function<Ledger.Entry, T> what) {
    return tickets == null ? List.of() : tickets.stream().map(what).toList();
  }
}
