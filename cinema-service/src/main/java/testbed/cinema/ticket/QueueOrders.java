package testbed.cinema.ticket;

import com.rabbitmq.client.AMQP;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.core.AmqpMessageReturnedException;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageDeliveryMode;
import org.springframework.amqp.rabbit.core.AmqpNackReceivedException;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import testbed.contracts.ProblemType;
import testbed.contracts.ReservationId;
import testbed.contracts.ReservationRequest;
import testbed.contracts.message.CinemaMessage.TicketWanted;
import testbed.contracts.message.Topology;
import testbed.messaging.BlockedConnection;
import testbed.support.problem.ProblemException;
import testbed.ticket.office.TicketsRefused;

/** Orders tickets through a queue. */
class QueueOrders implements TicketOrders {

  private static final Logger log = LoggerFactory.getLogger(QueueOrders.class);

  private final RabbitTemplate template;
  private final BlockedConnection connection;
  private final MessageDeliveryMode delivery;

  /**
   * @param template whose sends fail unless the message is in a queue, if orders are confirmed
   * @param persistent whether orders survive a restart of the server
   */
  QueueOrders(RabbitTemplate template, BlockedConnection connection, boolean persistent) {
    this.template = template;
    this.connection = connection;
    this.delivery =
        persistent ? MessageDeliveryMode.PERSISTENT : MessageDeliveryMode.NON_PERSISTENT;
  }

  @Override
  public void order(ReservationId id, ReservationRequest reservation) {
    if (connection.isBlocked()) {
      throw new NotOrdered();
    }
    try {
      template.convertAndSend(
          Topology.TICKET_EXCHANGE,
          Topology.TICKET_WANTED,
          new TicketWanted(id, reservation),
          message -> addressed(message, id));
    } catch (AmqpNackReceivedException full) {
      throw new TicketsRefused();
    } catch (AmqpMessageReturnedException returned) {
      throw returned.getReplyCode() == AMQP.NO_ROUTE ? new NotOrdered() : new TicketsRefused();
    } catch (AmqpException unreachable) {
      log.debug("Ticket {} not ordered: {}", id, unreachable.getMessage());
      throw new NotOrdered();
    }
  }

  private Message addressed(Message message, ReservationId id) {
    message.getMessageProperties().setCorrelationId(id.toString());
    message.getMessageProperties().setDeliveryMode(delivery);
    return message;
  }

  /** The server is away, did not confirm the order in time, or refused it. */
  static class NotOrdered extends ProblemException {

    NotOrdered() {
      super(ProblemType.UNAVAILABLE, "The message server does not take the order of the ticket.");
    }
  }
}
