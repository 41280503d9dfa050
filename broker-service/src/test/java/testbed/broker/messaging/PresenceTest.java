package testbed.broker.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static testbed.broker.Examples.CINEWORLD;
import static testbed.broker.Examples.DUNDRUM;
import static testbed.broker.Examples.UCD;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.amqp.AmqpConnectException;
import org.springframework.amqp.core.MessagePostProcessor;
import org.springframework.amqp.core.QueueInformation;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitAdmin;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.listener.AsyncConsumerStartedEvent;
import org.springframework.amqp.rabbit.listener.DirectMessageListenerContainer;
import org.springframework.boot.health.contributor.Status;
import testbed.contracts.message.CinemaRequest.AnnouncePresence;
import testbed.contracts.message.Topology;
import testbed.support.presence.KnownCinemas;

/** How the broker learns which cinemas are there, without an AMQP server. */
class PresenceTest {

  private Instant now = Instant.parse("2026-11-21T10:00:00Z");

  private final List<Object> sent = new ArrayList<>();
  private final RabbitTemplate template =
      new RabbitTemplate(new CachingConnectionFactory()) {
        @Override
        public void convertAndSend(
            String exchange, String key, Object message, MessagePostProcessor addressed) {
          assertThat(exchange).isEqualTo(Topology.EXCHANGE);
          assertThat(key).isEqualTo(Topology.REQUEST_TO_ALL);
          sent.add(message);
        }
      };
  private final PresenceQuestion question =
      new PresenceQuestion(template, Duration.ofSeconds(1), () -> now);

  @ParameterizedTest
  @CsvSource({"presence, 1", "responses, 0"})
  void asksWhenItBeginsToListenForSigns(String listener, int questions) {
    question.listening(started(listener));

    assertThat(sent).hasSize(questions).hasOnlyElementsOfType(AnnouncePresence.class);
  }

  @Test
  void isReadyOnceItHasListenedForAWhile() {
    assertThat(question.health().getStatus()).isEqualTo(Status.OUT_OF_SERVICE);

    question.listening(started(PresenceListener.ID));
    assertThat(question.health().getStatus()).isEqualTo(Status.OUT_OF_SERVICE);

    now = now.plusSeconds(1);
    assertThat(question.health().getStatus()).isEqualTo(Status.UP);
    question.listening(started(PresenceListener.ID));
    assertThat(question.health().getStatus()).isEqualTo(Status.UP);
  }

  @Test
  void missesCinemasWhoseQueueNobodyListensTo() {
    var cinemas = new KnownCinemas(Duration.ofSeconds(3), Duration.ofHours(1), () -> now);
    List.of(CINEWORLD, DUNDRUM, UCD).forEach(cinemas::seen);
    var consumers = new HashMap<String, Integer>();
    consumers.put(Topology.requestQueueOf(CINEWORLD), 4);
    consumers.put(Topology.requestQueueOf(DUNDRUM), 0);

    new QueueCheck(server(consumers), cinemas).check();

    assertThat(cinemas.presence().present()).containsExactly(CINEWORLD);
    assertThat(cinemas.presence().missing()).containsExactly(DUNDRUM, UCD);
  }

  @Test
  void missesNobodyBecauseTheServerIsAway() {
    var cinemas = new KnownCinemas(Duration.ofSeconds(3), Duration.ofHours(1), () -> now);
    cinemas.seen(UCD);
    var away =
        new RabbitAdmin(template) {
          @Override
          public QueueInformation getQueueInfo(String queue) {
            throw new AmqpConnectException(new IllegalStateException("refused"));
          }
        };

    new QueueCheck(away, cinemas).check();

    assertThat(cinemas.presence().present()).containsExactly(UCD);
  }

  private RabbitAdmin server(Map<String, Integer> consumers) {
    return new RabbitAdmin(template) {
      @Override
      public QueueInformation getQueueInfo(String queue) {
        var count = consumers.get(queue);
        return count == null ? null : new QueueInformation(queue, 0, count);
      }
    };
  }

  private static AsyncConsumerStartedEvent started(String listener) {
    var container = new DirectMessageListenerContainer();
    container.setListenerId(listener);
    return new AsyncConsumerStartedEvent(container, "consumer");
  }
}
