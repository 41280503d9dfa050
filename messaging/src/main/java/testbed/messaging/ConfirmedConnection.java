package testbed.messaging;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.AmqpTimeoutException;
import org.springframework.amqp.core.AmqpMessageReturnedException;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.ReturnedMessage;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory.ConfirmType;
import org.springframework.amqp.rabbit.connection.CorrelationData;
import org.springframework.amqp.rabbit.connection.CorrelationData.Confirm;
import org.springframework.amqp.rabbit.core.AmqpNackReceivedException;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.amqp.autoconfigure.CachingConnectionFactoryConfigurer;
import org.springframework.boot.amqp.autoconfigure.RabbitTemplateConfigurer;
import org.springframework.boot.amqp.autoconfigure.RabbitTemplateCustomizer;
import org.springframework.context.ApplicationContext;

/**
 * For messages that must not be lost: each send waits until the AMQP server has taken the message
 * over and put it in a queue.
 *
 * <p>A connection of its own, opened by its first message. On the common one every message would
 * have the cost of a confirm.
 */
public final class ConfirmedConnection implements AutoCloseable {

  /** As for any other answer of the server. */
  private static final long PATIENCE_MILLIS = 10_000;

  /** A channel is taken until its message is confirmed: one for each consumer at a time. */
  private static final int CHANNELS = 200;

  private final CachingConnectionFactory connections;
  private final RabbitTemplate template;

  public ConfirmedConnection(
      CachingConnectionFactory common,
      CachingConnectionFactoryConfigurer connectionSettings,
      RabbitTemplateConfigurer templateSettings,
      ObjectProvider<RabbitTemplateCustomizer> customizers,
      MessagingSettings settings,
      ApplicationContext service) {
    this.template = new ConfirmedTemplate(settings.confirms());
    this.connections = new CachingConnectionFactory(common.getRabbitConnectionFactory());
    connectionSettings.configure(connections);
    connections.setBeanName("confirmedConnection");
    connections.setApplicationEventPublisher(service);
    connections.setPublisherConfirmType(ConfirmType.CORRELATED);
    connections.setPublisherReturns(true);
    connections.setChannelCacheSize(CHANNELS);
    templateSettings.configure(template, connections);
    customizers.orderedStream().forEach(customizer -> customizer.customize(template));
    template.setMandatory(true);
    // Needed for observations.
    template.setApplicationContext(service);
  }

  /**
   * A template whose sends throw {@link AmqpException} unless the message is confirmed and routed.
   */
  public RabbitTemplate template() {
    return template;
  }

  @Override
  public void close() {
    connections.destroy();
  }

  static void requireTaken(Confirm confirm, @Nullable ReturnedMessage returned, Message message) {
    // RabbitMQ returns and confirms what has no queue; other servers refuse it.
    if (returned != null) {
      throw new AmqpMessageReturnedException("No queue takes the message", returned);
    }
    if (confirm.reason() != null) {
      // Not the server says so: the channel has ended, and the message may have arrived before.
      throw new AmqpTimeoutException("The message was not confirmed: " + confirm.reason());
    }
    if (!confirm.ack()) {
      throw new AmqpNackReceivedException("The message was refused", message);
    }
  }

  private static final class ConfirmedTemplate extends ConfirmingTemplate {

    private final AtomicLong sent = new AtomicLong();

    ConfirmedTemplate(Confirms confirms) {
      super(confirms);
    }

    /** All other methods that send call this one. */
    @Override
    public void send(
        @Nullable String exchange,
        @Nullable String routingKey,
        Message message,
        @Nullable CorrelationData unused) {
      // By default it would have a random id, which costs more than all else here.
      var confirmation = new CorrelationData(Long.toString(sent.incrementAndGet()));
      super.send(exchange, routingKey, message, confirmation);
      try {
        requireTaken(
            confirmation.getFuture().get(PATIENCE_MILLIS, MILLISECONDS),
            confirmation.getReturned(),
            message);
      } catch (TimeoutException | ExecutionException unconfirmed) {
        throw new AmqpTimeoutException("The message was not confirmed", unconfirmed);
      } catch (InterruptedException stopping) {
        Thread.currentThread().interrupt();
        throw new AmqpTimeoutException(stopping);
      }
    }
  }
}
