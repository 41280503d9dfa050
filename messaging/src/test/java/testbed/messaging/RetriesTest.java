package testbed.messaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.ConnectException;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.AmqpConnectException;
import org.springframework.amqp.rabbit.support.ListenerExecutionFailedException;
import org.springframework.amqp.support.converter.MessageConversionException;
import org.springframework.boot.retry.RetryPolicySettings;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.messaging.MessagingException;

class RetriesTest {

  private final RetryPolicySettings retries = new RetryPolicySettings();

  @Test
  void triesAgainWhatMayWorkTheNextTimeOnly() {
    new Messaging().retriesThatMayHelp().customize(retries);
    var policy = retries.createRetryPolicy();

    assertThat(policy.shouldRetry(failed(new IllegalStateException("busy")))).isTrue();
    assertThat(policy.shouldRetry(failed(new MessageConversionException("half")))).isFalse();
    assertThat(policy.shouldRetry(failed(new MessagingException("no id")))).isFalse();
    assertThat(policy.shouldRetry(failed(new IllegalArgumentException("no UUID")))).isFalse();
  }

  @Test
  void leavesOutagesToThePatientListener() {
    new Messaging().retriesThatMayHelp().customize(retries);
    var policy = retries.createRetryPolicy();

    assertThat(
            policy.shouldRetry(failed(new AmqpConnectException(new ConnectException("refused")))))
        .isFalse();
    assertThat(policy.shouldRetry(failed(new DataAccessResourceFailureException("refused"))))
        .isFalse();
  }

  /** As the listener container passes it on. */
  private static Exception failed(Exception cause) {
    return new ListenerExecutionFailedException("Listener threw exception", cause);
  }
}
