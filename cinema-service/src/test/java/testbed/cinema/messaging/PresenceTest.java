package testbed.cinema.messaging;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoMoreInteractions;

import jakarta.validation.Validator;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.core.MessagePostProcessor;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.core.io.ByteArrayResource;
import testbed.cinema.CinemaSettings;
import testbed.cinema.CinemaSettings.Database;
import testbed.cinema.movie.Movies;
import testbed.cinema.reservation.Reservations;
import testbed.contracts.message.CinemaPresent;
import testbed.contracts.message.CinemaRequest.AnnouncePresence;
import testbed.contracts.message.Topology;

class PresenceTest {

  @Test
  void saysThatItIsThereWhenAskedAndNothingElse() {
    var settings =
        new CinemaSettings(
            "ucd",
            new ByteArrayResource(new byte[0]),
            Duration.ofHours(1),
            new Database(0, 1, 1, Duration.ofSeconds(1)));
    var template = mock(RabbitTemplate.class);
    var listener =
        new RequestListener(
            settings,
            mock(Movies.class),
            mock(Reservations.class),
            mock(Validator.class),
            new Presence(settings, template),
            template);

    listener.answer(new AnnouncePresence(), UUID.randomUUID().toString());

    verify(template)
        .convertAndSend(
            eq(Topology.EXCHANGE),
            eq(Topology.PRESENCE),
            (Object) eq(new CinemaPresent(settings.cinemaName())),
            any(MessagePostProcessor.class));
    verifyNoMoreInteractions(template);
  }
}
