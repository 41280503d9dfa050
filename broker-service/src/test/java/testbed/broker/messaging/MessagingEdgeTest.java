package testbed.broker.messaging;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.amqp.rabbit.support.ListenerExecutionFailedException;
import org.springframework.amqp.support.converter.MessageConversionException;
import org.springframework.boot.retry.RetryPolicySettings;

class MessagingEdgeTest {

  private final RetryPolicySettings retries = new RetryPolicySettings();

  @Test
  void triesAgainWhatMayWorkTheNextTimeOnly() {
    new MessagingEdge().noSecondTryForTheUnreadable().customize(retries);
    var policy = retries.createRetryPolicy();

    assertThat(policy.shouldRetry(failed(new IllegalStateException("busy")))).isTrue();
    assertThat(policy.shouldRetry(failed(new MessageConversionException("half")))).isFalse();
    assertThat(policy.shouldRetry(failed(new IllegalArgumentException("no UUID")))).isFalse();
  }

  /** As the listener container passes it on. */
  private static Exception failed(Exception cause) {
    return new ListenerExecutionFailedException("Listener threw exception", cause);
  }
}
