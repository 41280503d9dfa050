package testbed.cinema.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.validation.Validator;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.HandlerExceptionResolver;
import testbed.cinema.CinemaSettings;
import testbed.contracts.ReservationRequest;
import testbed.support.web.IdempotencyKeys;
import testbed.support.web.ShortWay;
import testbed.support.web.WebSettings;
import tools.jackson.databind.json.JsonMapper;

/** The short way to the list of movies, and to a reservation. */
@Component
@ConditionalOnProperty(name = "cinema.transport", havingValue = "http")
@ConditionalOnBooleanProperty(WebSettings.SHORT_WAY)
@ConditionalOnWebApplication
class ShortRequests extends ShortWay {

  private final String list;
  private final String make;
  private final MovieController movies;
  private final ReservationController reservations;

  ShortRequests(
      CinemaSettings settings,
      MovieController movies,
      ReservationController reservations,
      JsonMapper json,
      Validator validator,
      @Qualifier("handlerExceptionResolver") HandlerExceptionResolver problems) {
    super(json, validator, problems);
    this.list = "/cinema/%s/movie/list".formatted(settings.cinemaName());
    this.make = "/cinema/%s/reservation/make".formatted(settings.cinemaName());
    this.movies = movies;
    this.reservations = reservations;
  }

  @Override
  protected @Nullable Operation<?> operation(HttpServletRequest request) {
    var path = request.getRequestURI();
    return switch (request.getMethod()) {
      case "GET" -> list.equals(path) ? Operation.without(list, movies::list) : null;
      case "POST" ->
          make.equals(path)
              ? new Operation<>(
                  make,
                  ReservationRequest.class,
                  body -> reservations.make(IdempotencyKeys.of(request), body))
              : null;
      default -> null;
    };
  }
}
