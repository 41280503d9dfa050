package testbed.broker.messaging;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.core.MessageDeliveryMode;
import org.springframework.amqp.event.AmqpEvent;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;
import org.springframework.amqp.rabbit.listener.AsyncConsumerRestartedEvent;
import org.springframework.amqp.rabbit.listener.AsyncConsumerStartedEvent;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.event.EventListener;
import testbed.contracts.message.CinemaMessage.AnnouncePresence;
import testbed.contracts.message.Topology;

/**
 * Asks the cinemas for a sign of presence as soon as signs are listened to, so that a broker that
 * was started or connected again does not wait for the next ones. Part of readiness: until answers
 * can have arrived, the broker knows no cinema.
 */
class PresenceQuestion implements HealthIndicator {

  private static final Logger log = LoggerFactory.getLogger(PresenceQuestion.class);

  private final RabbitTemplate template;
  private final Duration listenFor;
  private final InstantSource clock;
  private volatile @Nullable Instant listeningSince;

  PresenceQuestion(RabbitTemplate template, Duration listenFor, InstantSource clock) {
    this.template = template;
    this.listenFor = listenFor;
    this.clock = clock;
  }

  @EventListener({AsyncConsumerStartedEvent.class, AsyncConsumerRestartedEvent.class})
  void listening(AmqpEvent start) {
    if (start.getSource() instanceof AbstractMessageListenerContainer container
        && PresenceListener.ID.equals(container.getListenerId())) {
      if (listeningSince == null) {
        listeningSince = clock.instant();
      }
      ask();
    }
  }

  private void ask() {
    try {
      template.convertAndSend(
          Topology.EXCHANGE,
          Topology.REQUEST_TO_ALL,
          new AnnouncePresence(),
          message -> {
            var properties = message.getMessageProperties();
            properties.setCorrelationId(UUID.randomUUID().toString());
            properties.setDeliveryMode(MessageDeliveryMode.NON_PERSISTENT);
            // By then cinemas have announced themselves.
            properties.setExpiration(String.valueOf(listenFor.toMillis()));
            return message;
          });
    } catch (AmqpException unreachable) {
      log.debug("Not asked: {}", unreachable.getMessage());
    }
  }

  @Override
  public Health health() {
    var since = listeningSince;
    var heardEnough = since != null && !clock.instant().isBefore(since.plus(listenFor));
    return (heardEnough ? Health.up() : Health.outOfService()).build();
  }
}
