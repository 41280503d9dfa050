package testbed.ticketservice.messaging;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.core.AmqpMessageReturnedException;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.core.AmqpNackReceivedException;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.retry.MessageRecoverer;
import testbed.contracts.message.Topology;
import testbed.messaging.DeliveryLimit;

/**
 * Counts deliveries in a header of the order, as this service has no database: a redelivered order
 * is published again to the end of its queue with a higher count. If the queue is full, it is built
 * at once and not counted.
 */
class OrderDeliveryLimit extends DeliveryLimit {

  private final RabbitTemplate confirmed;

  /**
   * @param most deliveries after which an order is not tried again
   * @param confirmed whose sends fail unless the server has taken the message over
   */
  OrderDeliveryLimit(int most, RabbitTemplate confirmed, MessageRecoverer deadLetters) {
    super(most, deadLetters);
    this.confirmed = confirmed;
  }

  /** The first delivery, the counted ones, and this one. */
  @Override
  protected long deliveries(Message again) {
    return again.getMessageProperties().getRetryCount() + 2;
  }

  /**
   * @throws AmqpException if it is not known whether the order is in the queue again
   */
  @Override
  protected @Nullable Object handle(MethodInvocation call, Message again) throws Throwable {
    var order = again.getMessageProperties();
    var counted = order.getRetryCount();
    order.setDeliveryMode(order.getReceivedDeliveryMode());
    order.incrementRetryCount();
    try {
      confirmed.send(Topology.TICKET_EXCHANGE, Topology.TICKET_WANTED, again);
      return null;
    } catch (AmqpNackReceivedException | AmqpMessageReturnedException full) {
      return call.proceed();
    } finally {
      order.setRetryCount(counted);
    }
  }
}
