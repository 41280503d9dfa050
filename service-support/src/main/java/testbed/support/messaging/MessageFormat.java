package testbed.support.messaging;

import java.util.Map;
import org.springframework.amqp.support.converter.DefaultJacksonJavaTypeMapper;
import org.springframework.amqp.support.converter.JacksonJavaTypeMapper.TypePrecedence;
import org.springframework.amqp.support.converter.JacksonJsonMessageConverter;
import org.springframework.amqp.support.converter.MessageConverter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import testbed.contracts.message.CinemaPresent;
import testbed.contracts.message.CinemaRequest;
import testbed.contracts.message.CinemaResponse;
import tools.jackson.databind.json.JsonMapper;

/**
 * JSON bodies whose type header carries a stable id of our own. Class names on the wire would tie
 * every service to one code base's packages and let a sender choose the class that is built.
 */
@AutoConfiguration(
    beforeName = "org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration",
    afterName = "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration")
@ConditionalOnClass(MessageConverter.class)
public class MessageFormat {

  static final Map<String, Class<?>> TYPES =
      Map.of(
          "announce-presence", CinemaRequest.AnnouncePresence.class,
          "list-movies", CinemaRequest.ListMovies.class,
          "list-reservations", CinemaRequest.ListReservations.class,
          "make-reservation", CinemaRequest.MakeReservation.class,
          "movies-listed", CinemaResponse.MoviesListed.class,
          "reservations-listed", CinemaResponse.ReservationsListed.class,
          "reservation-made", CinemaResponse.ReservationMade.class,
          "request-rejected", CinemaResponse.RequestRejected.class,
          "cinema-present", CinemaPresent.class);

  @Bean
  MessageConverter messageConverter(JsonMapper json) {
    var types = new DefaultJacksonJavaTypeMapper();
    types.setIdClassMapping(TYPES);
    types.setTypePrecedence(TypePrecedence.TYPE_ID);
    var converter = new JacksonJsonMessageConverter(json);
    converter.setJavaTypeMapper(types);
    return converter;
  }
}
