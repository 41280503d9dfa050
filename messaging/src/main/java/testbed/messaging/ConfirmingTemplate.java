package testbed.messaging;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import com.rabbitmq.client.Channel;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.AmqpTimeoutException;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.connection.ChannelProxy;
import org.springframework.amqp.rabbit.connection.ConnectionFactoryUtils;
import org.springframework.amqp.rabbit.connection.CorrelationData;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.support.RabbitExceptionTranslator;

/**
 * A template whose messages are confirmed as {@link Confirms} says. Messages without correlation
 * data are sent as the library does.
 *
 * <p>The library takes a channel from its cache for each message, adds two headers to find the
 * message again, and hands each confirm to another thread. Here all messages share a channel, are
 * found by their number, and are completed by the thread that reads the confirm.
 */
public class ConfirmingTemplate extends RabbitTemplate {

  /**
   * How long a message waits for a channel. While a server is cut off, an attempt to connect takes
   * many seconds, and waiting senders must not queue up behind it.
   */
  private static final long PATIENCE_MILLIS = 1_000;

  private final Confirms confirms;
  private final ReentrantLock sending = new ReentrantLock();

  /** Guarded by the lock. */
  private @Nullable FutureTask<ConfirmedChannel> shared;

  public ConfirmingTemplate(Confirms confirms) {
    this.confirms = confirms;
  }

  /** All other methods that send call this one. */
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
    lock();
    try {
      // Mandatory, without the library's own mechanism, which would add a header.
      shared()
          .send(
              message,
              confirmation,
              channel -> doSend(channel, exchange, routingKey, message, false, confirmation));
    } catch (RuntimeException unreachable) {
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

  private void lock() {
    try {
      if (!sending.tryLock(PATIENCE_MILLIS, MILLISECONDS)) {
        throw new AmqpTimeoutException("Others wait for the message server");
      }
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
      throw new AmqpTimeoutException(stopping);
    }
  }

  /** One attempt to connect at a time. It goes on even if the thread that began it gives up. */
  private ConfirmedChannel shared() {
    var current = shared;
    if (current == null || hasEnded(current)) {
      current = new FutureTask<>(() -> ConfirmedChannel.over(newChannel()));
      shared = current;
      Thread.startVirtualThread(current);
    }
    try {
      return current.get(PATIENCE_MILLIS, MILLISECONDS);
    } catch (ExecutionException failed) {
      throw RabbitExceptionTranslator.convertRabbitAccessException(failed.getCause());
    } catch (TimeoutException unreachable) {
      throw new AmqpTimeoutException("The message server is not reached", unreachable);
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
      throw new AmqpTimeoutException(stopping);
    }
  }

  private static boolean hasEnded(FutureTask<ConfirmedChannel> channel) {
    return switch (channel.state()) {
      case RUNNING -> false;
      case SUCCESS -> !channel.resultNow().isOpen();
      case FAILED, CANCELLED -> true;
    };
  }

  private Channel newChannel() throws IOException {
    var connection = ConnectionFactoryUtils.createConnection(getConnectionFactory(), true);
    return Objects.requireNonNull(
        Objects.requireNonNull(connection.getDelegate()).createChannel(), "no channel is left");
  }
}
