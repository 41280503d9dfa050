package testbed.broker.messaging;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.ShutdownSignalException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.rabbit.core.RabbitOperations;
import org.springframework.core.NestedExceptionUtils;
import testbed.cinemas.KnownCinemas;
import testbed.contracts.CinemaName;
import testbed.contracts.message.Topology;

/**
 * Notices cinemas that have stopped sooner than their signs of presence run out: the AMQP server
 * sees a closed connection at once, and then nobody listens to the cinema's queue.
 */
class QueueCheck {

  private static final Logger log = LoggerFactory.getLogger(QueueCheck.class);

  private final RabbitOperations server;
  private final KnownCinemas cinemas;

  /**
   * @param server uses a connection without publishers, since the server may block those
   */
  QueueCheck(RabbitOperations server, KnownCinemas cinemas) {
    this.server = server;
    this.cinemas = cinemas;
  }

  void check() {
    try {
      for (var cinema : cinemas.presence().present()) {
        var before = cinemas.now();
        if (!isListening(cinema)) {
          cinemas.gone(cinema, before);
        }
      }
    } catch (AmqpException unreachable) {
      // A failed check says nothing about the cinemas.
      log.debug("Not checked: {}", unreachable.getMessage());
    }
  }

  /**
   * Does not ask RabbitAdmin, which takes every failure for a queue that does not exist.
   *
   * @throws AmqpException if there is no answer
   */
  private boolean isListening(CinemaName cinema) {
    try {
      return Boolean.TRUE.equals(
          server.execute(
              channel ->
                  channel.queueDeclarePassive(Topology.requestQueueOf(cinema)).getConsumerCount()
                      > 0));
    } catch (AmqpException failure) {
      if (saysThatThereIsNoQueue(failure)) {
        return false;
      }
      throw failure;
    }
  }

  private static boolean saysThatThereIsNoQueue(AmqpException failure) {
    return NestedExceptionUtils.getMostSpecificCause(failure) instanceof ShutdownSignalException end
        && end.getReason() instanceof AMQP.Channel.Close close
        && close.getReplyCode() == AMQP.NOT_FOUND;
  }
}
