package testbed.broker.messaging;

import java.util.Queue;
import java.util.concurrent.LinkedBlockingQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.core.MessageDeliveryMode;
import org.springframework.amqp.rabbit.connection.CorrelationData;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import testbed.broker.operation.CorrelationId;
import testbed.contracts.message.CinemaMessage.Request;
import testbed.contracts.message.Topology;
import testbed.messaging.BlockedConnection;
import testbed.support.log.LoggedCorrelation;

/**
 * Takes requests back that may still be delivered although their clients were told that they were
 * not accepted. Runs in the background and repeats until the server confirms it. Lost if the broker
 * ends before.
 */
class Withdrawals {

  static final int CAPACITY = 1_000;

  private static final Logger log = LoggerFactory.getLogger(Withdrawals.class);

  private final RabbitTemplate template;
  private final BlockedConnection connection;
  private final Queue<Withdrawal> waiting = new LinkedBlockingQueue<>(CAPACITY);

  Withdrawals(RabbitTemplate template, BlockedConnection connection) {
    this.template = template;
    this.connection = connection;
  }

  /**
   * Takes a request back, later and on another thread.
   *
   * @param routingKey of the request
   * @param withdrawal undoes the request
   */
  void add(CorrelationId id, String routingKey, Request withdrawal) {
    if (!waiting.offer(new Withdrawal(id, routingKey, withdrawal))) {
      log.error(
          "Request {} is not withdrawn, {} others wait: it may be carried out although its client"
              + " was told that it failed",
          id,
          CAPACITY);
    }
  }

  /** Sends what has not been confirmed since the last call. For one thread at a time. */
  void send() {
    waiting.removeIf(Withdrawal::isConfirmed);
    for (var withdrawal : waiting) {
      if (connection.isBlocked() || !sent(withdrawal)) {
        // The others would fail now, too.
        return;
      }
    }
  }

  int waiting() {
    return waiting.size();
  }

  private boolean sent(Withdrawal withdrawal) {
    var id = withdrawal.id.toString();
    try (var named = LoggedCorrelation.of(id)) {
      template.convertAndSend(
          Topology.EXCHANGE,
          withdrawal.routingKey,
          withdrawal.message,
          message -> {
            message.getMessageProperties().setCorrelationId(id);
            message.getMessageProperties().setDeliveryMode(MessageDeliveryMode.PERSISTENT);
            return message;
          },
          withdrawal.again());
      return true;
    } catch (AmqpException unreachable) {
      log.debug("Request {} not withdrawn yet: {}", id, unreachable.getMessage());
      return false;
    }
  }

  private static final class Withdrawal {

    private final CorrelationId id;
    private final String routingKey;
    private final Request message;
    private CorrelationData confirmation = new CorrelationData();

    /** The confirmation of one attempt may come after the next one. */
    private volatile boolean taken;

    Withdrawal(CorrelationId id, String routingKey, Request message) {
      this.id = id;
      this.routingKey = routingKey;
      this.message = message;
    }

    CorrelationData again() {
      confirmation = new CorrelationData();
      confirmation
          .getFuture()
          .thenAccept(
              confirm -> {
                if (confirm.ack()) {
                  taken = true;
                }
              });
      return confirmation;
    }

    /** Whether it is in the queue; without a queue there is no request to withdraw. */
    boolean isConfirmed() {
      return taken || confirmation.getReturned() != null;
    }
  }
}
