package testbed.messaging;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.support.micrometer.RabbitListenerObservation;
import org.springframework.amqp.rabbit.support.micrometer.RabbitListenerObservation.DefaultRabbitListenerObservationConvention;
import org.springframework.amqp.rabbit.support.micrometer.RabbitMessageReceiverContext;

/**
 * Around a listener, its retries and its recoverer: one observation for each message that was sent
 * within a trace. Other messages belong to no request.
 */
class TracedListener implements MethodInterceptor {

  private static final String TRACE = "traceparent";

  private final Supplier<ObservationRegistry> observations;

  TracedListener(Supplier<ObservationRegistry> observations) {
    this.observations = observations;
  }

  /**
   * @param call a listener container's: of a channel and a message
   */
  @Override
  public @Nullable Object invoke(MethodInvocation call) throws Throwable {
    return call.getArguments()[1] instanceof Message message
            && message.getMessageProperties().getHeader(TRACE) != null
        ? of(message).observeChecked(call::proceed)
        : call.proceed();
  }

  private Observation of(Message message) {
    var queue = QueueMeters.queueOf(message.getMessageProperties());
    return RabbitListenerObservation.LISTENER_OBSERVATION.observation(
        null,
        DefaultRabbitListenerObservationConvention.INSTANCE,
        () -> new RabbitMessageReceiverContext(message, queue),
        observations.get());
  }
}
