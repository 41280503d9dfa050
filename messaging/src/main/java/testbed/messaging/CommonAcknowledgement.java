package testbed.messaging;

import org.springframework.amqp.rabbit.listener.DirectMessageListenerContainer;

/**
 * Acknowledges several messages of a listener at once: when so many have been handled, and the rest
 * when the container next checks its consumers, every 5 s.
 *
 * <p>The interval is the container's own on purpose. The check is not synchronised with the
 * consumer: in a trial with a check every 100 ms some messages were acknowledged twice (decision
 * 5), for which RabbitMQ closes the channel. The only cost of a late acknowledgement is a second
 * delivery if the service dies before.
 */
public final class CommonAcknowledgement {

  /** Less than the interval, so that each check acknowledges the rest. */
  private static final long REST_AFTER_MILLIS = 100;

  private CommonAcknowledgement() {}

  /**
   * @param messages acknowledged at once; 1 for each by itself
   */
  public static void of(DirectMessageListenerContainer container, int messages) {
    container.setMessagesPerAck(messages);
    container.setAckTimeout(REST_AFTER_MILLIS);
  }
}
