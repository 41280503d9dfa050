package testbed.cinema.messaging;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.rabbit.retry.MessageRecoverer;
import org.springframework.dao.DataAccessException;

/**
 * Around a listener with its retries: sets a request aside, unhandled, that was delivered too
 * often. It may be what ends the cinema. Done by the client, because a classic queue and the
 * embedded server do not count deliveries.
 *
 * <p>Only requests that the server marks as redelivered are counted; others pay nothing. A server
 * that restarts and a cinema that stops lead to second deliveries too. Their count ends with the
 * first success.
 */
class DeliveryLimit implements MethodInterceptor {

  private static final Logger log = LoggerFactory.getLogger(DeliveryLimit.class);

  /** Of RabbitMQ's quorum queues: how often the message was returned. */
  private static final String RETURNS = "x-delivery-count";

  private final int most;
  private final Deliveries deliveries;
  private final MessageRecoverer deadLetters;

  /**
   * @param most deliveries after which a request is not handled again
   */
  DeliveryLimit(int most, Deliveries deliveries, MessageRecoverer deadLetters) {
    this.most = most;
    this.deliveries = deliveries;
    this.deadLetters = deadLetters;
  }

  /**
   * @param call a listener container's: of a channel and a message
   */
  @Override
  public @Nullable Object invoke(MethodInvocation call) throws Throwable {
    return call.getArguments()[1] instanceof Message message
            && Boolean.TRUE.equals(message.getMessageProperties().getRedelivered())
            && message.getMessageProperties().getCorrelationId() instanceof String id
        ? handleAgain(call, message, id)
        : call.proceed();
  }

  private @Nullable Object handleAgain(MethodInvocation call, Message message, String id)
      throws Throwable {
    if (deliveriesOf(message.getMessageProperties(), id) > most) {
      deadLetters.recover(message, new DeliveredTooOften(most));
      forget(id);
      return null;
    }
    var result = call.proceed();
    forget(id);
    return result;
  }

  private int deliveriesOf(MessageProperties delivery, String id) {
    if (delivery.getHeader(RETURNS) instanceof Number returns) {
      return returns.intValue() + 1;
    }
    try {
      // The first delivery was not counted.
      return deliveries.note(id, delivery) + 1;
    } catch (DataAccessException away) {
      log.debug("Delivery of {} not counted: {}", id, away.getMessage());
      return 0;
    }
  }

  private void forget(String id) {
    try {
      deliveries.forget(id);
    } catch (DataAccessException away) {
      log.debug("Deliveries of {} not forgotten: {}", id, away.getMessage());
    }
  }

  private static final class DeliveredTooOften extends RuntimeException {

    DeliveredTooOften(int most) {
      super("delivered more than %d times".formatted(most));
    }
  }
}
