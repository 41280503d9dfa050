package testbed.messaging;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.retry.MessageRecoverer;
import org.springframework.core.NestedExceptionUtils;

/**
 * Logs in one line why a message is set aside. The stack trace is in the dead letter. A message
 * that failed by an outage is not set aside: see {@link PatientListener}.
 */
public final class LoggedRecoverer implements MessageRecoverer {

  private static final Logger log = LoggerFactory.getLogger(LoggedRecoverer.class);

  private final MessageRecoverer recoverer;

  public LoggedRecoverer(MessageRecoverer recoverer) {
    this.recoverer = recoverer;
  }

  /**
   * @throws FailedByOutage if an outage is the cause
   */
  @Override
  public void recover(Message message, Throwable cause) {
    if (FailedByOutage.is(cause)) {
      throw new FailedByOutage(cause);
    }
    log.error(
        "A message of {} could not be processed: {}",
        message.getMessageProperties().getConsumerQueue(),
        NestedExceptionUtils.getMostSpecificCause(cause).toString());
    recoverer.recover(message, cause);
  }
}
