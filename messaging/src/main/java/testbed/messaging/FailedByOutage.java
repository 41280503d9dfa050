package testbed.messaging;

import java.util.List;
import org.springframework.amqp.AmqpApplicationContextClosedException;
import org.springframework.amqp.AmqpConnectException;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.AmqpIOException;
import org.springframework.amqp.AmqpResourceNotAvailableException;
import org.springframework.amqp.AmqpTimeoutException;
import org.springframework.amqp.core.AmqpMessageReturnedException;
import org.springframework.amqp.rabbit.core.AmqpNackReceivedException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.RecoverableDataAccessException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.util.ExceptionTypeFilter;

/**
 * A listener failed because a database or the AMQP server is away. The same message may succeed
 * once they are back, however often it has failed.
 */
final class FailedByOutage extends AmqpException {

  private static final ExceptionTypeFilter SIGNS =
      new ExceptionTypeFilter(
          List.of(
              DataAccessResourceFailureException.class,
              RecoverableDataAccessException.class,
              TransientDataAccessException.class,
              AmqpApplicationContextClosedException.class,
              AmqpConnectException.class,
              AmqpIOException.class,
              AmqpMessageReturnedException.class,
              AmqpNackReceivedException.class,
              AmqpResourceNotAvailableException.class,
              AmqpTimeoutException.class),
          List.of());

  FailedByOutage(Throwable cause) {
    super(cause);
  }

  /** Whether an outage is the failure or among its causes. */
  static boolean is(Throwable failure) {
    return SIGNS.match(failure, true);
  }
}
