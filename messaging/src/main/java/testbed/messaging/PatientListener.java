package testbed.messaging;

import com.rabbitmq.client.Channel;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageDeliveryMode;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.core.NestedExceptionUtils;

/**
 * Around a listener, its retries and its recoverer. If these fail because a resource is away, the
 * message was neither handled nor set aside. It is retried with growing pauses until the resource
 * is back. Meanwhile its consumer takes no other message.
 *
 * <p>The message goes back to its queue if the service stops or the channel is closed. (RabbitMQ
 * closes a channel whose message is not acknowledged within 30 minutes.) A message that is not
 * persistent is dropped after 30 s: nobody waits for its answer any more.
 */
class PatientListener implements MethodInterceptor {

  static final long TRANSIENT_NANOS = TimeUnit.SECONDS.toNanos(30);

  private static final Logger log = LoggerFactory.getLogger(PatientListener.class);

  private static final long FIRST_WAIT_MILLIS = 50;
  private static final long LONGEST_WAIT_MILLIS = 1_000;

  private final BooleanSupplier stopping;
  private final LongSupplier nanoClock;

  /**
   * @param nanoClock like {@link System#nanoTime()}
   */
  PatientListener(BooleanSupplier stopping, LongSupplier nanoClock) {
    this.stopping = stopping;
    this.nanoClock = nanoClock;
  }

  /**
   * @param call a listener container's: of a channel and a message
   */
  @Override
  public @Nullable Object invoke(MethodInvocation call) throws Throwable {
    try {
      return attempt(call);
    } catch (Exception failure) {
      if (call.getArguments()[1] instanceof Message message) {
        return tryAgain(call, message, failure);
      }
      throw failure;
    }
  }

  private @Nullable Object tryAgain(MethodInvocation call, Message message, Exception first)
      throws Throwable {
    var since = nanoClock.getAsLong();
    var waitMillis = FIRST_WAIT_MILLIS;
    var failure = first;
    say("A message of {} waits: {}", message, failure);
    while (!isOver(call)) {
      if (isForNobody(message, failure, since)) {
        say("A message of {} is dropped: {}", message, failure);
        return null;
      }
      pause(waitMillis, failure);
      try {
        return attempt(call);
      } catch (Exception again) {
        failure = again;
        waitMillis = Math.min(2 * waitMillis, LONGEST_WAIT_MILLIS);
      }
    }
    throw failure;
  }

  /** On a copy, because an invocation can proceed only once. */
  private static @Nullable Object attempt(MethodInvocation call) throws Throwable {
    return ((ProxyMethodInvocation) call).invocableClone().proceed();
  }

  private boolean isOver(MethodInvocation call) {
    return stopping.getAsBoolean()
        || (call.getArguments()[0] instanceof Channel channel && !channel.isOpen());
  }

  private boolean isForNobody(Message message, Exception failure, long since) {
    return failure instanceof FailedByOutage
        && message.getMessageProperties().getReceivedDeliveryMode()
            == MessageDeliveryMode.NON_PERSISTENT
        && nanoClock.getAsLong() - since >= TRANSIENT_NANOS;
  }

  private static void pause(long millis, Exception failure) throws Exception {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
      throw failure;
    }
  }

  private static void say(String what, Message message, Exception failure) {
    log.warn(
        what,
        message.getMessageProperties().getConsumerQueue(),
        NestedExceptionUtils.getMostSpecificCause(failure).toString());
  }
}
