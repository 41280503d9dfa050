package testbed.support.messaging;

import com.rabbitmq.client.Channel;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.connection.ChannelProxy;
import org.springframework.amqp.rabbit.connection.ConnectionFactoryUtils;
import org.springframework.amqp.rabbit.connection.CorrelationData;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.support.RabbitExceptionTranslator;

/**
 * A template whose messages are confirmed as {@link Confirms} says. What is sent without
 * correlation data goes the library's way.
 *
 * <p>The library takes a channel from its cache for each message, adds two headers by which it
 * finds the message again, and hands each confirm to another thread. Over one channel a message is
 * found by its number, and a confirm is noted by the thread that reads it.
 */
public class ConfirmingTemplate extends RabbitTemplate {

  private final Confirms confirms;
  private final ReentrantLock sending = new ReentrantLock();

  /** Guarded by the lock. */
  private @Nullable ConfirmedChannel shared;

  public ConfirmingTemplate(Confirms confirms) {
    this.confirms = confirms;
  }

  /** Every other way to send leads here. */
  @Override
  public void send(
      @Nullable String exchange,
      @Nullable String routingKey,
      Message message,
      @Nullable CorrelationData confirmation) {
    if (confirmation == null || confirms == Confirms.EACH) {
      super.send(exchange, routingKey, message, confirmation);
      return;
    }
    sending.lock();
    try {
      // Mandatory, but not in its own words: the library would add a header of its own.
      shared()
          .send(
              message,
              confirmation,
              channel -> doSend(channel, exchange, routingKey, message, false, confirmation));
    } catch (IOException | RuntimeException unreachable) {
      throw RabbitExceptionTranslator.convertRabbitAccessException(unreachable);
    } finally {
      sending.unlock();
    }
  }

  @Override
  protected void sendToRabbit(
      Channel channel, String exchange, String routingKey, boolean mandatory, Message message) {
    var isShared = !(channel instanceof ChannelProxy);
    super.sendToRabbit(channel, exchange, routingKey, mandatory || isShared, message);
  }

  private ConfirmedChannel shared() throws IOException {
    var current = shared;
    if (current == null || !current.isOpen()) {
      current = ConfirmedChannel.over(newChannel());
      shared = current;
    }
    return current;
  }

  private Channel newChannel() throws IOException {
    var connection = ConnectionFactoryUtils.createConnection(getConnectionFactory(), true);
    return Objects.requireNonNull(
        Objects.requireNonNull(connection.getDelegate()).createChannel(), "no channel is left");
  }
}
