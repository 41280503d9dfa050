package testbed.broker.messaging;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.rabbit.connection.Connection;
import org.springframework.amqp.rabbit.connection.ConnectionBlockedEvent;
import org.springframework.amqp.rabbit.connection.ConnectionUnblockedEvent;
import org.springframework.context.event.EventListener;

/**
 * Knows whether the server holds its publishers back (memory, disk): it then reads nothing more
 * from a connection that has published.
 */
class BlockedConnection {

  private static final Logger log = LoggerFactory.getLogger(BlockedConnection.class);

  private volatile @Nullable Connection blocked;

  @EventListener
  void blocked(ConnectionBlockedEvent event) {
    log.warn("Requests are refused, the message server takes none: {}", event.getReason());
    blocked = event.getConnection();
  }

  @EventListener
  void unblocked(ConnectionUnblockedEvent event) {
    log.info("The message server takes requests again");
    blocked = null;
  }

  /** Whether a message that is published now would not be taken. */
  boolean isBlocked() {
    var connection = blocked;
    // Nobody says so when the connection ends before it is unblocked.
    return connection != null && connection.isOpen();
  }
}
