package testbed.cinema.messaging;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.ArgumentMatchers.argThat;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.clearInvocations;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.timeout;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import com.rabbitmq.client.Channel;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.exception.MongoServerError;
import de.bwaldvogel.mongo.wire.message.MongoMessage;
import java.util.UUID;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mockito.Answers;
import org.mockito.verification.VerificationMode;
import org.springframework.amqp.AmqpTimeoutException;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.rabbit.config.BaseRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.listener.RabbitListenerEndpointRegistry;
import org.springframework.amqp.support.converter.MessageConverter;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.context.bean.override.mockito.MockReset;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import testbed.cinema.Examples;
import testbed.cinema.reservation.Reservations;
import testbed.contracts.CinemaName;
import testbed.contracts.ReservationId;
import testbed.contracts.message.CinemaMessage.MakeReservation;
import testbed.contracts.message.CinemaMessage.MakeReservation.ReservationMade;
import testbed.contracts.message.CinemaMessage.Question;
import testbed.contracts.message.CinemaMessage.RequestRejected;
import testbed.contracts.message.Topology;
import testbed.messaging.ConfirmedConnection;
import testbed.messaging.testing.ContainerDelivery;

/**
 * What becomes of requests that fail, within everything that a listener container puts around the
 * listener. There is no AMQP server: the test delivers.
 */
@SpringBootTest(
    webEnvironment = WebEnvironment.NONE,
    properties = {
      "cinema.name=cineworld",
      "cinema.transport=amqp",
      // Port 1 is reserved: nothing answers there.
      "RABBITMQ_PORT=1",
      "spring.rabbitmq.listener.direct.auto-startup=false"
    })
@DirtiesContext
@Timeout(120)
class FailedRequestsTest {

  private static final int PATIENCE_SECONDS = 60;
  private static final CinemaName CINEWORLD = new CinemaName("cineworld");
  private static final StoppingDatabase DATABASE = new StoppingDatabase();
  private static final MongoServer SERVER = new MongoServer(DATABASE);

  @Autowired BaseRabbitListenerContainerFactory<?> containers;
  @Autowired RabbitListenerEndpointRegistry listeners;
  @Autowired MessageConverter format;
  @Autowired Reservations reservations;
  @MockitoBean Responses responses;

  /** Asked for its template once, when the cinema starts. */
  @MockitoBean(answers = Answers.RETURNS_DEEP_STUBS, reset = MockReset.NONE)
  ConfirmedConnection confirmed;

  private final Channel channel = mock(Channel.class);
  private final String correlationId = UUID.randomUUID().toString();

  @DynamicPropertySource
  static void database(DynamicPropertyRegistry registry) {
    var port = SERVER.bind().getPort();
    registry.add("spring.mongodb.uri", () -> "mongodb://localhost:" + port);
  }

  @AfterAll
  static void stopDatabase() {
    SERVER.shutdownNow();
  }

  @BeforeEach
  void isConnected() {
    clearInvocations(confirmed.template());
    when(channel.isOpen()).thenReturn(true);
  }

  @Test
  void areHandedOverBeforeTheyAreCountedOrTriedAgain() {
    assertThat(containers.getAdviceChain()[0].getClass().getSimpleName())
        .isEqualTo("ConcurrentListener");
  }

  @Test
  void waitsForTheDatabase() throws Exception {
    DATABASE.stop();
    try (var consumer = Executors.newSingleThreadExecutor()) {
      var delivery = consumer.submit(() -> deliver(reservation()));
      // More often than for three tries: the driver asks twice for each.
      await().atMost(PATIENCE_SECONDS, SECONDS).until(() -> DATABASE.refusals() > 6);
      verify(responses, never()).send(any(), any(), any());

      DATABASE.start();
      delivery.get(PATIENCE_SECONDS, SECONDS);
    }

    verify(responses).send(toWhoAsked(), any(), any(ReservationMade.class));
    verifySetAside(never());
  }

  @Test
  void answersUntilTheAnswerIsTakenOver() throws Exception {
    var away = new AmqpTimeoutException("not confirmed");
    doThrow(away, away, away, away)
        .doNothing()
        .when(responses)
        .send(toWhoAsked(), any(Question.class), any());

    deliver(reservation());

    verify(responses, times(5)).send(toWhoAsked(), any(), any(ReservationMade.class));
    assertThat(reservations.get(new ReservationId(UUID.fromString(correlationId)))).isNotNull();
    verifySetAside(never());
  }

  @Test
  void setsAsideAfterThreeTriesWhatFailsByItself() throws Exception {
    doThrow(new IllegalStateException("bug"))
        .when(responses)
        .send(toWhoAsked(), any(Question.class), any());

    deliver(reservation());

    verify(responses, times(3)).send(toWhoAsked(), any(Question.class), any());
    verifySetAside(times(1));
    verify(responses).send(toWhoAsked(), any(RequestRejected.class));
  }

  @ParameterizedTest
  @CsvSource({
    "make-reservation, application/json, {",
    "reservation-made, application/json, {}",
    "java.lang.ProcessBuilder, application/json, '[\"true\"]'",
    "make-reservation, application/x-java-serialized-object, {}",
    "make-reservation, none, {}",
    "cinema-present, application/json, '{\"cinema\":\"cineworld\"}'"
  })
  void setsAsideWhatItCannotRead(String type, String contentType, String body) throws Exception {
    var properties = properties();
    properties.setHeader("__TypeId__", type);
    properties.setContentType(contentType);

    deliver(new Message(body.getBytes(), properties));

    verifySetAside(times(1));
    verify(responses, never()).send(any(), any(), any());
  }

  @Test
  void setsAsideUnhandledWhatWasDeliveredTooOften() throws Exception {
    var request = reservation();
    request.getMessageProperties().setRedelivered(true);
    request.getMessageProperties().setHeader("x-delivery-count", 5L);

    deliver(request);

    verifySetAside(times(1));
    verify(responses, never()).send(any(), any(), any());
  }

  @Test
  void triesToSetAsideUntilThatIsConfirmed() throws Exception {
    var template = confirmed.template();
    doThrow(new AmqpTimeoutException("not confirmed"))
        .doNothing()
        .when(template)
        .send(anyString(), anyString(), any(Message.class));

    deliver(new Message("{".getBytes(), properties()));

    verifySetAside(times(2));
    verify(responses).send(toWhoAsked(), any(RequestRejected.class));
  }

  private MessageProperties toWhoAsked() {
    return argThat(request -> correlationId.equals(request.getCorrelationId()));
  }

  private Message reservation() {
    return format.toMessage(new MakeReservation(Examples.janesReservation()), properties());
  }

  private MessageProperties properties() {
    var properties = new MessageProperties();
    properties.setCorrelationId(correlationId);
    properties.setConsumerQueue(Topology.requestQueueOf(CINEWORLD));
    return properties;
  }

  /** Returns when the message is acknowledged. */
  private Object deliver(Message request) throws Exception {
    ContainerDelivery.deliver(request, channel, containers, listeners);
    verify(channel, timeout(SECONDS.toMillis(PATIENCE_SECONDS))).basicAck(anyLong(), anyBoolean());
    return request;
  }

  private void verifySetAside(VerificationMode often) {
    verify(confirmed.template(), often)
        .send(
            eq(Topology.DEAD_LETTER_EXCHANGE),
            eq(Topology.requestTo(CINEWORLD)),
            any(Message.class));
  }

  /** Refuses queries for a while, as a server does that is shutting down. */
  private static final class StoppingDatabase extends MemoryBackend {

    private static final int SHUTDOWN_IN_PROGRESS = 91;

    private volatile boolean stopped;
    private volatile int refusals;

    @Override
    public Document handleMessage(MongoMessage message) {
      if (stopped && message.getDocument().containsKey("find")) {
        refusals++;
        throw new MongoServerError(
            SHUTDOWN_IN_PROGRESS, "ShutdownInProgress", "the server is shutting down");
      }
      return super.handleMessage(message);
    }

    void stop() {
      refusals = 0;
      stopped = true;
    }

    void start() {
      stopped = false;
    }

    int refusals() {
      return refusals;
    }
  }
}
