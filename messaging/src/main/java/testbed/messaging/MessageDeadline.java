package testbed.messaging;

import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageProperties;
import testbed.support.deadline.Deadline;
import testbed.support.deadline.DeadlineSettings;

/**
 * Around a listener: a request with an expiration has its sender's deadline. The server drops what
 * expires in a queue; prefetched messages that expire are dropped here.
 *
 * <p>The time of sending is that of the sender's clock: across machines a deadline is as accurate
 * as their clocks.
 */
class MessageDeadline implements MethodInterceptor {

  private static final Logger log = LoggerFactory.getLogger(MessageDeadline.class);

  private final Supplier<DeadlineSettings> settings;
  private final LongSupplier clockMillis;

  /**
   * @param clockMillis since the epoch, like {@link System#currentTimeMillis()}
   */
  MessageDeadline(Supplier<DeadlineSettings> settings, LongSupplier clockMillis) {
    this.settings = settings;
    this.clockMillis = clockMillis;
  }

  /**
   * @param call a listener container's: of a channel and a message
   */
  @Override
  public @Nullable Object invoke(MethodInvocation call) throws Throwable {
    var deadline =
        call.getArguments()[1] instanceof Message message
            ? of(message.getMessageProperties())
            : null;
    if (deadline == null) {
      return call.proceed();
    }
    if (deadline.millisLeft() == 0) {
      log.debug("A request expired before its turn");
      return null;
    }
    try (var bound = deadline.bind()) {
      return call.proceed();
    }
  }

  /** Without a correlation id nobody waits for an answer. */
  private @Nullable Deadline of(MessageProperties message) {
    if (message.getCorrelationId() == null
        || !(message.getHeader(QueueMeters.SENT) instanceof Long sent)) {
      return null;
    }
    return Deadline.read(message.getExpiration())
        .map(expiration -> expiration.plusMillis(sent - clockMillis.getAsLong()))
        .map(wait -> Deadline.of(wait, settings.get().margin()))
        .orElse(null);
  }
}
