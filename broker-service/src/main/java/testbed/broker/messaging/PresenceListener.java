package testbed.broker.messaging;

import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.messaging.handler.annotation.Payload;
import testbed.cinemas.KnownCinemas;
import testbed.contracts.message.CinemaMessage.CinemaPresent;

/** Notes which cinemas are there. */
class PresenceListener {

  static final String ID = "presence";

  private final KnownCinemas cinemas;

  PresenceListener(KnownCinemas cinemas) {
    this.cinemas = cinemas;
  }

  @RabbitListener(id = ID, queues = "#{presenceQueue.name}")
  void note(@Payload CinemaPresent sign) {
    cinemas.seen(sign.cinema());
  }
}
