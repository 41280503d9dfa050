package testbed.cinema.messaging;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.retry.MessageRecoverer;
import org.springframework.dao.DataAccessException;
import testbed.messaging.DeliveryLimit;

/** Counts the deliveries of a request in the database, until its first success. */
class RequestDeliveryLimit extends DeliveryLimit {

  private static final Logger log = LoggerFactory.getLogger(RequestDeliveryLimit.class);

  private final Deliveries deliveries;

  /**
   * @param most deliveries after which a request is not handled again
   */
  RequestDeliveryLimit(int most, Deliveries deliveries, MessageRecoverer deadLetters) {
    super(most, deadLetters);
    this.deliveries = deliveries;
  }

  @Override
  protected long deliveries(Message again) {
    var id = again.getMessageProperties().getCorrelationId();
    if (id == null) {
      return 0;
    }
    try {
      // The first delivery was not counted.
      return deliveries.note(id, again.getMessageProperties()) + 1;
    } catch (DataAccessException away) {
      log.debug("Delivery of {} not counted: {}", id, away.getMessage());
      return 0;
    }
  }

  @Override
  protected @Nullable Object handle(MethodInvocation call, Message again) throws Throwable {
    var result = call.proceed();
    forget(again);
    return result;
  }

  @Override
  protected void forget(Message again) {
    var id = again.getMessageProperties().getCorrelationId();
    if (id == null) {
      return;
    }
    try {
      deliveries.forget(id);
    } catch (DataAccessException away) {
      log.debug("Deliveries of {} not forgotten: {}", id, away.getMessage());
    }
  }
}
