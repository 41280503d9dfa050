package testbed.messaging;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.core.Declarable;
import org.springframework.amqp.core.DeclarableCustomizer;
import org.springframework.amqp.core.Queue;
import org.springframework.amqp.core.QueueBuilder;
import org.springframework.amqp.core.QueueBuilder.Overflow;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.connection.RabbitUtils;
import org.springframework.amqp.rabbit.core.DeclarationExceptionEvent;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.event.EventListener;

/**
 * Bounded queues on every AMQP server. They are declared with RabbitMQ's arguments; for Qpid, which
 * refuses these, with its own.
 *
 * <p>RabbitMQ does not change the arguments of a queue that exists. If it is empty and has no
 * consumer, it is deleted, and the admin's next try declares it again.
 */
public final class QueueLimits implements DeclarableCustomizer {

  private static final Logger log = LoggerFactory.getLogger(QueueLimits.class);

  private static final String LENGTH = "x-max-length";
  private static final String OVERFLOW = "x-overflow";
  private static final String QPID = "qpid";
  private static final String QPID_LENGTH = "qpid.max_count";
  private static final String QPID_OVERFLOW = "qpid.policy_type";

  private final ObjectProvider<ConnectionFactory> connections;

  QueueLimits(ObjectProvider<ConnectionFactory> connections) {
    this.connections = connections;
  }

  /**
   * A durable queue.
   *
   * @param length how many messages wait in it at most; 0 for no limit
   * @param overflow what becomes of one more
   */
  public static Queue durable(String name, int length, Overflow overflow) {
    var queue = QueueBuilder.durable(name);
    return (length == 0 ? queue : queue.maxLength(length).overflow(overflow)).build();
  }

  @Override
  public Declarable apply(Declarable declared) {
    return declared instanceof Queue queue
            && queue.getArguments().containsKey(LENGTH)
            && Boolean.TRUE.equals(
                template()
                    .execute(channel -> isQpid(channel.getConnection().getServerProperties())))
        ? forQpid(queue)
        : declared;
  }

  /** The admin retries. */
  @EventListener
  void failed(DeclarationExceptionEvent failure) {
    if (failure.getDeclarable() instanceof Queue queue
        && failure.getThrowable() instanceof Exception cause
        && RabbitUtils.isMismatchedQueueArgs(cause)) {
      delete(queue.getName());
    }
  }

  private void delete(String queue) {
    try {
      template().execute(channel -> channel.queueDelete(queue, true, true));
      log.info("Queue {} had other limits and is made anew", queue);
    } catch (AmqpException inUse) {
      log.error(
          "Queue {} exists with other limits, and has messages or consumers. Stop its consumers and"
              + " delete it (rabbitmqctl delete_queue {}), or set its limits to what they were"
              + " (TESTBED_MESSAGING_QUEUE_LENGTH; of tickets TICKET_QUEUE_LENGTH, TICKET_OVERFLOW,"
              + " TICKET_QUEUE_TYPE)",
          queue,
          queue);
    }
  }

  private RabbitTemplate template() {
    return new RabbitTemplate(connections.getObject());
  }

  private static boolean isQpid(Map<String, Object> server) {
    return server.keySet().stream().anyMatch(name -> name.startsWith(QPID));
  }

  private static Queue forQpid(Queue queue) {
    var arguments = new HashMap<String, @Nullable Object>(queue.getArguments());
    var overflow = arguments.remove(OVERFLOW);
    arguments.put(QPID_LENGTH, arguments.remove(LENGTH));
    arguments.put(
        QPID_OVERFLOW, Overflow.rejectPublish.getValue().equals(overflow) ? "REJECT" : "RING");
    return new Queue(
        queue.getName(), queue.isDurable(), queue.isExclusive(), queue.isAutoDelete(), arguments);
  }
}
