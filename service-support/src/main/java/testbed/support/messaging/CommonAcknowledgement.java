package testbed.support.messaging;

import org.springframework.amqp.rabbit.listener.DirectMessageListenerContainer;

/**
 * Acknowledges several messages of a listener at once: when so many have been handled, and what is
 * left over when the container next looks after its consumers, every 5 s.
 *
 * <p>The interval is the container's own on purpose. Its look takes no turn with the consumer's
 * thread: in a trial with a look every 100 ms some messages were acknowledged twice (decision 5),
 * for which RabbitMQ closes the channel. What is acknowledged late costs nothing but a second
 * delivery if the service dies before.
 */
public final class CommonAcknowledgement {

  /** Less than the interval, so that each look acknowledges whatever is left over. */
  private static final long LEFT_OVER_AFTER_MILLIS = 100;

  private CommonAcknowledgement() {}

  /**
   * @param messages acknowledged at once; 1 for each by itself
   */
  public static void of(DirectMessageListenerContainer container, int messages) {
    container.setMessagesPerAck(messages);
    container.setAckTimeout(LEFT_OVER_AFTER_MILLIS);
  }
}
