package testbed.broker.messaging;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.core.AmqpAdmin;
import testbed.contracts.CinemaName;
import testbed.contracts.message.Topology;
import testbed.support.presence.KnownCinemas;

/**
 * Notices cinemas that have stopped sooner than their signs of presence run out: the AMQP server
 * sees a closed connection at once, and then nobody listens to the cinema's queue.
 */
class QueueCheck {

  private static final Logger log = LoggerFactory.getLogger(QueueCheck.class);

  private final AmqpAdmin server;
  private final KnownCinemas cinemas;

  QueueCheck(AmqpAdmin server, KnownCinemas cinemas) {
    this.server = server;
    this.cinemas = cinemas;
  }

  void check() {
    try {
      cinemas.presence().present().stream()
          .filter(cinema -> !isListening(cinema))
          .forEach(cinemas::gone);
    } catch (AmqpException unreachable) {
      // Says nothing about the cinemas.
      log.debug("Not checked: {}", unreachable.getMessage());
    }
  }

  private boolean isListening(CinemaName cinema) {
    var queue = server.getQueueInfo(Topology.requestQueueOf(cinema));
    return queue != null && queue.getConsumerCount() > 0;
  }
}
