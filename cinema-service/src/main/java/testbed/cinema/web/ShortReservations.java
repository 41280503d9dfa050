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

/** The short way to a reservation without a key. */
@Component
@ConditionalOnProperty(name = "cinema.transport", havingValue = "http")
@ConditionalOnBooleanProperty(WebSettings.SHORT_WAY)
@ConditionalOnWebApplication
class ShortReservations extends ShortWay {

  private final String path;
  private final ReservationController reservations;

  ShortReservations(
      CinemaSettings settings,
      ReservationController reservations,
      JsonMapper json,
      Validator validator,
      @Qualifier("handlerExceptionResolver") HandlerExceptionResolver problems) {
    super(json, validator, problems);
    this.path = "/cinema/%s/reservation/make".formatted(settings.cinemaName());
    this.reservations = reservations;
  }

  @Override
  protected @Nullable Operation<?> operation(HttpServletRequest request) {
    return "POST".equals(request.getMethod())
            && path.equals(request.getRequestURI())
            && request.getHeader(IdempotencyKeys.HEADER) == null
        ? new Operation<>(path, ReservationRequest.class, body -> reservations.make(null, body))
        : null;
  }
}
