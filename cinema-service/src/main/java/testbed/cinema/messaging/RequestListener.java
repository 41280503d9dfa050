package testbed.cinema.messaging;

import jakarta.validation.Validator;
import java.util.UUID;
import java.util.stream.Collectors;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageListener;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.support.converter.MessageConversionException;
import org.springframework.amqp.support.converter.MessageConverter;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.stereotype.Component;
import testbed.cinema.CinemaSettings;
import testbed.cinema.movie.Movies;
import testbed.cinema.reservation.Reservations;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;
import testbed.contracts.ProblemType;
import testbed.contracts.ReservationId;
import testbed.contracts.message.CinemaMessage.AnnouncePresence;
import testbed.contracts.message.CinemaMessage.ListMovies;
import testbed.contracts.message.CinemaMessage.ListMovies.MoviesListed;
import testbed.contracts.message.CinemaMessage.ListReservations;
import testbed.contracts.message.CinemaMessage.ListReservations.ReservationsListed;
import testbed.contracts.message.CinemaMessage.MakeReservation;
import testbed.contracts.message.CinemaMessage.MakeReservation.ReservationMade;
import testbed.contracts.message.CinemaMessage.Question;
import testbed.contracts.message.CinemaMessage.Request;
import testbed.contracts.message.CinemaMessage.RequestRejected;
import testbed.contracts.message.CinemaMessage.Response;
import testbed.contracts.message.CinemaMessage.WithdrawReservation;
import testbed.support.json.LastMade;
import testbed.support.problem.ProblemException;

/**
 * Answers requests from the cinema's queue.
 *
 * <p>A plain listener, for the same reason as the broker's: an annotated method's headers and
 * arguments cost more than reading the message.
 */
@Component
@ConditionalOnProperty(name = "cinema.transport", havingValue = "amqp")
class RequestListener implements MessageListener {

  private final MessageConverter format;
  private final CinemaName cinema;
  private final Movies movies;
  private final Reservations reservations;
  private final Validator validator;
  private final Presence presence;
  private final Responses responses;

  /** A catalogue that is the same object as the last time is not written again. */
  private final LastMade<CinemaName, Cinema, Message> listed;

  RequestListener(
      MessageConverter format,
      CinemaSettings settings,
      Movies movies,
      Reservations reservations,
      Validator validator,
      Presence presence,
      Responses responses) {
    this.format = format;
    this.cinema = settings.cinemaName();
    this.movies = movies;
    this.reservations = reservations;
    this.validator = validator;
    this.presence = presence;
    this.responses = responses;
    this.listed =
        new LastMade<>(
            (first, second) -> first == second,
            all -> format.toMessage(new MoviesListed(cinema, all), new MessageProperties()));
  }

  /**
   * @throws MessageConversionException if the message is no request or has no correlation id
   */
  @Override
  public void onMessage(Message message) {
    var properties = message.getMessageProperties();
    var correlationId = properties.getCorrelationId();
    if (!(format.fromMessage(message) instanceof Request request) || correlationId == null) {
      throw new MessageConversionException("not a request with a correlation id");
    }
    switch (request) {
      case AnnouncePresence sign -> presence.announce();
      case WithdrawReservation withdrawal ->
          reservations.withdraw(new ReservationId(UUID.fromString(correlationId)));
      case Question<?> question ->
          responses.send(properties, question, responseTo(question, correlationId));
    }
  }

  /** A response, or the message of one. */
  private Object responseTo(Question<?> request, String correlationId) {
    try {
      return switch (request) {
        case ListMovies ignored -> listed.of(cinema, movies.catalogue());
        case ListReservations wanted ->
            new ReservationsListed(cinema, reservations.list(wanted.page()));
        case MakeReservation wanted -> make(wanted, correlationId);
      };
    } catch (ProblemException refused) {
      return new RequestRejected(cinema, refused.type(), refused.detail());
    }
  }

  private Response make(MakeReservation wanted, String correlationId) {
    var request = wanted.reservation();
    var violations = validator.validate(request);
    if (!violations.isEmpty()) {
      return new RequestRejected(
          cinema,
          ProblemType.INVALID_REQUEST,
          violations.stream()
              .map(violation -> violation.getPropertyPath() + ": " + violation.getMessage())
              .sorted()
              .collect(Collectors.joining("; ")));
    }
    // The reservation has the request's id: delivered twice, it is stored once.
    var made =
        reservations.make(
            wanted.key(), () -> new ReservationId(UUID.fromString(correlationId)), request);
    return new ReservationMade(cinema, made);
  }
}
