package testbed.messaging;

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
public final class BlockedConnection {

  private static final Logger log = LoggerFactory.getLogger(BlockedConnection.class);

  private volatile @Nullable Connection blocked;

  @EventListener
  public void blocked(ConnectionBlockedEvent event) {
    log.warn("The message server takes no messages: {}", event.getReason());
    blocked = event.getConnection();
  }

  @EventListener
  public void unblocked(ConnectionUnblockedEvent event) {
    log.info("The message server takes messages again");
    blocked = null;
  }

  /** Whether the server would not accept a message now. */
  public boolean isBlocked() {
    var connection = blocked;
    // There is no event when a blocked connection is closed.
    return connection != null && connection.isOpen();
  }
}
