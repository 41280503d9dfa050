package testbed.broker.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static testbed.broker.Examples.CINEWORLD;
import static testbed.broker.Examples.DUNDRUM;
import static testbed.broker.Examples.UCD;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ChannelContinuationTimeoutException;
import com.rabbitmq.client.ShutdownSignalException;
import com.rabbitmq.client.impl.AMQImpl;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.amqp.AmqpConnectException;
import org.springframework.amqp.core.MessagePostProcessor;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.Connection;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.listener.AsyncConsumerStartedEvent;
import org.springframework.amqp.rabbit.listener.DirectMessageListenerContainer;
import org.springframework.boot.health.contributor.Status;
import testbed.cinemas.KnownCinemas;
import testbed.contracts.message.CinemaMessage.AnnouncePresence;
import testbed.contracts.message.Topology;

/** How the broker learns which cinemas are there, without an AMQP server. */
class PresenceTest {

  private Instant now = Instant.parse("2026-11-21T10:00:00Z");
  private final KnownCinemas cinemas =
      new KnownCinemas(Duration.ofSeconds(3), Duration.ofHours(1), () -> now);
  private final Channel channel = mock(Channel.class);

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
  void missesCinemasWhoseQueueNobodyListensTo() throws IOException {
    List.of(CINEWORLD, DUNDRUM, UCD).forEach(cinemas::seen);
    when(channel.queueDeclarePassive(Topology.requestQueueOf(CINEWORLD))).thenReturn(consumers(4));
    when(channel.queueDeclarePassive(Topology.requestQueueOf(DUNDRUM))).thenReturn(consumers(0));
    when(channel.queueDeclarePassive(Topology.requestQueueOf(UCD)))
        .thenThrow(closed(AMQP.NOT_FOUND));

    check();

    assertThat(cinemas.presence().present()).containsExactly(CINEWORLD);
    assertThat(cinemas.presence().missing()).containsExactly(DUNDRUM, UCD);
  }

  static Stream<Exception> noAnswers() {
    return Stream.of(
        new ChannelContinuationTimeoutException(new TimeoutException(), null, 1, null),
        new IOException("reset"),
        new AlreadyClosedException(new ShutdownSignalException(true, false, null, null)),
        closed(AMQP.ACCESS_REFUSED),
        new AmqpConnectException(new IllegalStateException("refused")));
  }

  @ParameterizedTest
  @MethodSource("noAnswers")
  void missesNobodyBecauseTheServerDoesNotAnswer(Exception none) throws IOException {
    cinemas.seen(UCD);
    when(channel.queueDeclarePassive(anyString())).thenThrow(none);

    check();

    assertThat(cinemas.presence().present()).containsExactly(UCD);
  }

  private void check() {
    var connection = mock(Connection.class);
    when(connection.createChannel(anyBoolean())).thenReturn(channel);
    var connections = mock(ConnectionFactory.class);
    when(connections.createConnection()).thenReturn(connection);
    new QueueCheck(new RabbitTemplate(connections), cinemas).check();
  }

  private static AMQP.Queue.DeclareOk consumers(int count) {
    return new AMQImpl.Queue.DeclareOk("queue", 0, count);
  }

  /** What the client throws when the server closes the channel instead of answering. */
  private static IOException closed(int replyCode) {
    var reason = new AMQP.Channel.Close.Builder().replyCode(replyCode).build();
    return new IOException(new ShutdownSignalException(false, false, reason, null));
  }

  private static AsyncConsumerStartedEvent started(String listener) {
    var container = new DirectMessageListenerContainer();
    container.setListenerId(listener);
    return new AsyncConsumerStartedEvent(container, "consumer");
  }
}
