package testbed.messaging;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.retry.MessageRecoverer;

/**
 * Around a listener and its retries: sets aside a message that was delivered too often, because it
 * may crash the service. Done by the client, because classic queues and the embedded server do not
 * count deliveries.
 *
 * <p>Only messages that the server marks as redelivered are counted; others have no cost. Restarts
 * of the server or the service also lead to redeliveries.
 */
public abstract class DeliveryLimit implements MethodInterceptor {

  /** The header of RabbitMQ's quorum queues: how often the message was returned. */
  private static final String RETURNS = "x-delivery-count";

  private final int most;
  private final MessageRecoverer deadLetters;

  /**
   * @param most deliveries after which a message is not handled again
   */
  protected DeliveryLimit(int most, MessageRecoverer deadLetters) {
    this.most = most;
    this.deadLetters = deadLetters;
  }

  /** How many deliveries there were, including this one; 0 if unknown. */
  protected abstract long deliveries(Message again);

  /** Handles a message whose deliveries are counted. */
  protected abstract @Nullable Object handle(MethodInvocation call, Message again) throws Throwable;

  /** The message is set aside, so its count can be deleted. */
  protected void forget(Message setAside) {}

  /**
   * @param call a listener container's: of a channel and a message
   */
  @Override
  public final @Nullable Object invoke(MethodInvocation call) throws Throwable {
    if (!(call.getArguments()[1] instanceof Message message)
        || !Boolean.TRUE.equals(message.getMessageProperties().getRedelivered())) {
      return call.proceed();
    }
    var returns = message.getMessageProperties().getHeader(RETURNS);
    var deliveries = returns instanceof Number count ? count.longValue() + 1 : deliveries(message);
    if (deliveries > most) {
      deadLetters.recover(message, new DeliveredTooOften(most));
      forget(message);
      return null;
    }
    return returns instanceof Number ? call.proceed() : handle(call, message);
  }

  private static final class DeliveredTooOften extends RuntimeException {

    DeliveredTooOften(int most) {
      super("delivered more than %d times".formatted(most));
    }
  }
}
