package testbed.messaging;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;

/**
 * Metrics of a queue that only its users can measure: the time from publisher to listener ({@code
 * queue.wait}), and redeliveries ({@code queue.redelivered}).
 *
 * <p>The time of sending travels in a header, because AMQP's own timestamp has whole seconds. Both
 * ends read their own clock: across machines the wait is as accurate as their clocks.
 */
public final class QueueMeters {

  static final String SENT = "sent-at-millis";

  private record Ends(Timer waited, Counter redelivered) {}

  private final MeterRegistry meters;
  private final LongSupplier clockMillis;
  private final Map<String, Ends> byQueue = new ConcurrentHashMap<>();

  /**
   * @param clockMillis since the epoch, like {@link System#currentTimeMillis()}
   */
  QueueMeters(MeterRegistry meters, LongSupplier clockMillis) {
    this.meters = meters;
    this.clockMillis = clockMillis;
  }

  /** Notes on every message of a template when it was sent. */
  void stamp(RabbitTemplate template) {
    template.addBeforePublishPostProcessors(this::stamped);
  }

  /** Measures every message that a container receives. */
  public void observe(AbstractMessageListenerContainer container) {
    container.addAfterReceivePostProcessors(this::received);
  }

  Message stamped(Message message) {
    message.getMessageProperties().setHeader(SENT, clockMillis.getAsLong());
    return message;
  }

  Message received(Message message) {
    var properties = message.getMessageProperties();
    var ends = byQueue.computeIfAbsent(queueOf(properties), this::ends);
    if (properties.getHeader(SENT) instanceof Long sent) {
      ends.waited.record(Math.max(0, clockMillis.getAsLong() - sent), TimeUnit.MILLISECONDS);
    }
    if (Boolean.TRUE.equals(properties.getRedelivered())) {
      ends.redelivered.increment();
    }
    return message;
  }

  private Ends ends(String queue) {
    return new Ends(
        Timer.builder("queue.wait")
            .description("From a message's publisher to its listener")
            .tag("queue", queue)
            .register(meters),
        Counter.builder("queue.redelivered")
            .description("Messages that had been delivered before")
            .tag("queue", queue)
            .register(meters));
  }

  static String queueOf(MessageProperties properties) {
    return Objects.requireNonNullElse(properties.getConsumerQueue(), "unknown");
  }
}
