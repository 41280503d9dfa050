package testbed.messaging;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.core.Message;
import testbed.support.log.LoggedCorrelation;

/**
 * Around a listener, its retries and its recoverer: log lines carry the message's correlation id.
 */
class CorrelatedLog implements MethodInterceptor {

  /**
   * @param call a listener container's: of a channel and a message
   */
  @Override
  public @Nullable Object invoke(MethodInvocation call) throws Throwable {
    if (call.getArguments()[1] instanceof Message message
        && message.getMessageProperties().getCorrelationId() instanceof String id) {
      try (var named = LoggedCorrelation.of(id)) {
        return call.proceed();
      }
    }
    return call.proceed();
  }
}
