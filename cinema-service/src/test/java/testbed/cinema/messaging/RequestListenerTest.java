package testbed.cinema.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoMoreInteractions;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jakarta.validation.Validator;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentCaptor;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessagePostProcessor;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.core.io.ByteArrayResource;
import testbed.cinema.CinemaSettings;
import testbed.cinema.CinemaSettings.Database;
import testbed.cinema.Examples;
import testbed.cinema.movie.Movies;
import testbed.cinema.reservation.Reservations;
import testbed.contracts.CinemaName;
import testbed.contracts.ReservationId;
import testbed.contracts.message.CinemaMessage.AnnouncePresence;
import testbed.contracts.message.CinemaMessage.CinemaPresent;
import testbed.contracts.message.CinemaMessage.MakeReservation;
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
          new Database(0, 1, 1, Duration.ofSeconds(1), Duration.ZERO),
          Duration.ZERO,
          false);
  private final RabbitTemplate template = mock(RabbitTemplate.class);
  private final Reservations reservations = mock(Reservations.class);
  private final RequestListener listener =
      new RequestListener(
          settings,
          mock(Movies.class),
          reservations,
          mock(Validator.class),
          new Presence(settings, template),
          template);
  private final UUID correlationId = UUID.randomUUID();

  @Test
  void saysThatItIsThereWhenAskedAndNothingElse() {
    listener.answer(new AnnouncePresence(), correlationId.toString());

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

    listener.answer(new MakeReservation(wanted), correlationId.toString());

    verify(reservations).make(new ReservationId(correlationId), wanted);
  }

  @Test
  void withdrawsTheReservationOfARequestAndSendsNoResponse() {
    listener.answer(new WithdrawReservation(), correlationId.toString());

    verify(reservations).withdraw(new ReservationId(correlationId));
    verifyNoMoreInteractions(template);
  }

  @Test
  void setsAsideWhatItCannotProcessAndTellsWhoeverWaits() {
    var properties = new MessageProperties();
    properties.setCorrelationId(correlationId.toString());
    properties.setExpiration("5000");
    var request = new Message("{".getBytes(), properties);

    var meters = new SimpleMeterRegistry();
    new DeadLetters(template, UCD, meters).recover(request, new IllegalStateException("poison"));

    var dead = ArgumentCaptor.forClass(Message.class);
    verify(template)
        .send(eq(Topology.DEAD_LETTER_EXCHANGE), eq(Topology.requestTo(UCD)), dead.capture());
    assertThat(dead.getValue().getBody()).isEqualTo(request.getBody());
    assertThat(dead.getValue().getMessageProperties().getExpiration()).isNull();
    verify(template)
        .convertAndSend(
            eq(Topology.EXCHANGE),
            eq(Topology.RESPONSE),
            (Object) any(RequestRejected.class),
            any(MessagePostProcessor.class));
    assertThat(meters.get("cinema.requests.dead.lettered").counter().count()).isEqualTo(1);
  }
}
