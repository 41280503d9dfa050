package testbed.ticketservice.messaging;

import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.retry.RepublishMessageRecoverer;
import testbed.contracts.ReservationId;
import testbed.contracts.message.Topology;
import testbed.ticket.office.TicketOffice;

/** Sets aside an order that cannot be built, and records the failure of its ticket. */
class DeadTickets extends RepublishMessageRecoverer {

  private final TicketOffice office;

  /**
   * @param confirmed whose sends fail unless the server has taken the message over
   */
  DeadTickets(RabbitTemplate confirmed, TicketOffice office) {
    super(confirmed, Topology.DEAD_LETTER_EXCHANGE, Topology.TICKET_WANTED);
    this.office = office;
  }

  @Override
  public void recover(Message order, @Nullable Throwable cause) {
    // A replayed order starts with a new count.
    order.getMessageProperties().setRetryCount(0);
    super.recover(order, cause);
    var id = order.getMessageProperties().getCorrelationId();
    try {
      if (id != null) {
        office.fail(new ReservationId(UUID.fromString(id)));
      }
    } catch (IllegalArgumentException foreign) {
      // Not an order of a cinema: there is no ticket to record.
    }
  }
}
