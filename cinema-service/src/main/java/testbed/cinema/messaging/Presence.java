package testbed.cinema.messaging;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.core.MessageDeliveryMode;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import testbed.cinema.CinemaSettings;
import testbed.contracts.message.CinemaMessage.CinemaPresent;
import testbed.contracts.message.Topology;

/**
 * Announces this cinema periodically and on request: the async variant's counterpart of a registry.
 */
@Component
@ConditionalOnProperty(name = "cinema.transport", havingValue = "amqp")
class Presence {

  private static final Logger log = LoggerFactory.getLogger(Presence.class);

  private final CinemaPresent here;
  private final String expirationMillis;
  private final RabbitTemplate template;

  Presence(CinemaSettings settings, RabbitTemplate template) {
    this.here = new CinemaPresent(settings.cinemaName());
    this.expirationMillis = String.valueOf(settings.presenceInterval().toMillis());
    this.template = template;
  }

  @Scheduled(fixedRateString = "${cinema.presence-interval:1s}")
  void announce() {
    try {
      template.convertAndSend(
          Topology.EXCHANGE,
          Topology.PRESENCE,
          here,
          message -> {
            message.getMessageProperties().setDeliveryMode(MessageDeliveryMode.NON_PERSISTENT);
            // An old announcement may be wrong when a broker reads it.
            message.getMessageProperties().setExpiration(expirationMillis);
            return message;
          });
    } catch (AmqpException unreachable) {
      log.debug("Not announced: {}", unreachable.getMessage());
    }
  }
}
