package testbed.cinema.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.ArgumentMatchers.nullable;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoInteractions;
import static org.mockito.Mockito.verifyNoMoreInteractions;
import static org.mockito.Mockito.when;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jakarta.validation.Validator;
import java.time.Duration;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.mockito.ArgumentCaptor;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.AmqpTimeoutException;
import org.springframework.amqp.core.AmqpMessageReturnedException;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessagePostProcessor;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.core.ReturnedMessage;
import org.springframework.amqp.rabbit.core.AmqpNackReceivedException;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.support.converter.MessageConversionException;
import org.springframework.amqp.support.converter.MessageConverter;
import org.springframework.core.io.ByteArrayResource;
import testbed.cinema.CinemaSettings;
import testbed.cinema.CinemaSettings.Database;
import testbed.cinema.Examples;
import testbed.cinema.movie.Movies;
import testbed.cinema.reservation.Reservations;
import testbed.contracts.CinemaName;
import testbed.contracts.IdempotencyKey;
import testbed.contracts.ReservationId;
import testbed.contracts.message.CinemaMessage.AnnouncePresence;
import testbed.contracts.message.CinemaMessage.CinemaPresent;
import testbed.contracts.message.CinemaMessage.ListMovies;
import testbed.contracts.message.CinemaMessage.MakeReservation;
import testbed.contracts.message.CinemaMessage.Request;
import testbed.contracts.message.CinemaMessage.RequestRejected;
import testbed.contracts.message.CinemaMessage.WithdrawReservation;
import testbed.contracts.message.Topology;

/** What the cinema does with requests, without an AMQP server. */
class RequestListenerTest {

  private static final CinemaName UCD = new CinemaName("ucd");

  private final CinemaSettings settings =
      new CinemaSettings(
          "ucd",
          new ByteArrayResource(new byte[0]),
          Duration.ofHours(1),
          new Database(0, 1, 1, Duration.ofSeconds(1), Duration.ZERO, Duration.ofMinutes(1)),
          Duration.ZERO,
          false);
  private final RabbitTemplate template = mock(RabbitTemplate.class);
  private final RabbitTemplate confirmed = mock(RabbitTemplate.class);
  private final Responses responses = new Responses(template, confirmed);
  private final Reservations reservations = mock(Reservations.class);
  private final MessageConverter format = mock(MessageConverter.class);
  private final RequestListener listener =
      new RequestListener(
          format,
          settings,
          mock(Movies.class),
          reservations,
          mock(Validator.class),
          new Presence(settings, template),
          responses);
  private final UUID correlationId = UUID.randomUUID();
  private @Nullable String replyTo;

  @BeforeEach
  void reservationsChooseTheId() {
    given(reservations.make(nullable(IdempotencyKey.class), any(), any())).willCallRealMethod();
  }

  @Test
  void saysThatItIsThereWhenAskedAndNothingElse() {
    answer(new AnnouncePresence());

    verify(template)
        .convertAndSend(
            eq(Topology.EXCHANGE),
            eq(Topology.PRESENCE),
            (Object) eq(new CinemaPresent(UCD)),
            any(MessagePostProcessor.class));
    verifyNoMoreInteractions(template);
  }

  @Test
  void makesAReservationUnderTheIdOfItsRequest() {
    var wanted = Examples.janesReservation();

    answer(new MakeReservation(wanted));

    verify(reservations).make(new ReservationId(correlationId), wanted);
  }

  @Test
  void makesAReservationUnderTheKeyOfItsRequestIfItHasOne() {
    var wanted = Examples.janesReservation();
    var key = new IdempotencyKey("one");

    answer(new MakeReservation(wanted, key));

    verify(reservations).make(key, wanted);
  }

  @Test
  void withdrawsTheReservationOfARequestAndSendsNoResponse() {
    answer(new WithdrawReservation());

    verify(reservations).withdraw(new ReservationId(correlationId));
    verifyNoInteractions(template, confirmed);
  }

  @Test
  void waitsForTheConfirmationOfWhatLastsOnly() {
    answer(new ListMovies());
    verifySent(template);
    verifyNoInteractions(confirmed);

    answer(new MakeReservation(Examples.janesReservation()));
    verifySent(confirmed);
    verifyNoMoreInteractions(template);
  }

  @Test
  void answersTheBrokerThatAsked() {
    replyTo = "response.from.cinema.2";

    answer(new ListMovies());

    verifySent(template, "response.from.cinema.2");
  }

  @Test
  void answersTheFirstBrokerWhenTheWayBackIsNone() {
    replyTo = Topology.REQUEST_TO_ALL;

    answer(new ListMovies());

    verifySent(template);
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void answersOnceWhereNoBrokerIs(AmqpException nowhere) {
    doThrow(nowhere)
        .when(confirmed)
        .convertAndSend(
            anyString(), anyString(), any(Object.class), any(MessagePostProcessor.class));

    assertThatThrownBy(() -> answer(new MakeReservation(Examples.janesReservation())))
        .isSameAs(nowhere);
    replyTo = "response.from.cinema.99";
    assertThatCode(() -> answer(new MakeReservation(Examples.janesReservation())))
        .doesNotThrowAnyException();
  }

  static Stream<AmqpException> refusals() {
    var response = new Message(new byte[0]);
    return Stream.of(
        new AmqpNackReceivedException("refused", response),
        new AmqpMessageReturnedException(
            "returned", new ReturnedMessage(response, 312, "NO_ROUTE", Topology.EXCHANGE, "")));
  }

  @Test
  void setsAsideWhatItCannotProcessAndTellsWhoeverWaits() {
    var meters = new SimpleMeterRegistry();
    var request = request();
    new DeadLetters(confirmed, responses, UCD, meters)
        .recover(request, new IllegalStateException("poison"));

    var dead = ArgumentCaptor.forClass(Message.class);
    verify(confirmed)
        .send(eq(Topology.DEAD_LETTER_EXCHANGE), eq(Topology.requestTo(UCD)), dead.capture());
    assertThat(dead.getValue().getBody()).isEqualTo(request.getBody());
    assertThat(dead.getValue().getMessageProperties().getExpiration()).isNull();
    assertThat(dead.getValue().getMessageProperties().getHeaders())
        .containsEntry("x-original-exchange", Topology.EXCHANGE)
        .containsEntry("x-original-routingKey", Topology.REQUEST_TO_ALL);
    verify(template)
        .convertAndSend(
            eq(Topology.EXCHANGE),
            eq(Topology.RESPONSE),
            (Object) any(RequestRejected.class),
            any(MessagePostProcessor.class));
    assertThat(meters.get("cinema.requests.dead.lettered").counter().count()).isEqualTo(1);
  }

  @Test
  void tellsNobodyWhatItCouldNotSetAside() {
    var refused = new AmqpTimeoutException("not confirmed");
    doThrow(refused).when(confirmed).send(anyString(), anyString(), any(Message.class));
    var deadLetters = new DeadLetters(confirmed, responses, UCD, new SimpleMeterRegistry());

    assertThatThrownBy(() -> deadLetters.recover(request(), new IllegalStateException("poison")))
        .isSameAs(refused);
    verifyNoInteractions(template);
  }

  @Test
  void setsAsideOnceThoughItCannotTell() {
    doThrow(new AmqpTimeoutException("away"))
        .when(template)
        .convertAndSend(
            anyString(), anyString(), any(Object.class), any(MessagePostProcessor.class));
    var deadLetters = new DeadLetters(confirmed, responses, UCD, new SimpleMeterRegistry());

    assertThatCode(() -> deadLetters.recover(request(), new IllegalStateException("poison")))
        .doesNotThrowAnyException();
  }

  @Test
  void takesNoRequestWithoutACorrelationId() {
    var request = request();
    request.getMessageProperties().setCorrelationId(null);
    when(format.fromMessage(request)).thenReturn(new ListMovies());

    assertThatThrownBy(() -> listener.onMessage(request))
        .isInstanceOf(MessageConversionException.class);
    verifyNoInteractions(template, confirmed);
  }

  private void answer(Request request) {
    var message = request();
    when(format.toMessage(any(), any())).thenReturn(new Message(new byte[0]));
    when(format.fromMessage(message)).thenReturn(request);
    listener.onMessage(message);
  }

  private Message request() {
    var properties = new MessageProperties();
    properties.setCorrelationId(correlationId.toString());
    properties.setReplyTo(replyTo);
    properties.setExpiration("5000");
    properties.setReceivedExchange(Topology.EXCHANGE);
    properties.setReceivedRoutingKey(Topology.REQUEST_TO_ALL);
    return new Message("{".getBytes(), properties);
  }

  private static void verifySent(RabbitTemplate template) {
    verifySent(template, Topology.RESPONSE);
  }

  private static void verifySent(RabbitTemplate template, String wayBack) {
    verify(template)
        .convertAndSend(
            eq(Topology.EXCHANGE), eq(wayBack), any(Object.class), any(MessagePostProcessor.class));
  }
}
