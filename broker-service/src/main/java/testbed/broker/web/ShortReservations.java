package testbed.broker.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.validation.Validator;
import java.util.Collections;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.HandlerExceptionResolver;
import testbed.broker.operation.CorrelationId;
import testbed.contracts.ReservationRequest;
import testbed.support.client.ClientSettings;
import testbed.support.log.LoggedCorrelation;
import testbed.support.web.IdempotencyKeys;
import testbed.support.web.PreferredWait;
import testbed.support.web.ShortWay;
import testbed.support.web.WebSettings;
import tools.jackson.databind.json.JsonMapper;

/** The short way to a reservation without a key, and to its answer, for clients without a limit. */
@Component
@ConditionalOnBooleanProperty(WebSettings.SHORT_WAY)
@ConditionalOnWebApplication
class ShortReservations extends ShortWay {

  private static final Pattern PATH =
      Pattern.compile("/api/cinema/([a-z][a-z0-9-]{0,39})/reservation/make(?:/([0-9a-f-]{36}))?");

  private final boolean isLimited;
  private final ReservationController reservations;

  ShortReservations(
      ClientSettings clients,
      ReservationController reservations,
      JsonMapper json,
      Validator validator,
      @Qualifier("handlerExceptionResolver") HandlerExceptionResolver problems) {
    super(json, validator, problems);
    this.isLimited = clients.rateLimit() != null;
    this.reservations = reservations;
  }

  @Override
  protected @Nullable Operation<?> operation(HttpServletRequest request) {
    var path = PATH.matcher(request.getRequestURI());
    if (isLimited || !path.matches()) {
      return null;
    }
    var cinema = path.group(1);
    var id = path.group(2);
    return switch (request.getMethod()) {
      case "POST" ->
          id == null && request.getHeader(IdempotencyKeys.HEADER) == null
              ? new Operation<>(
                  ReservationController.MAKE,
                  ReservationRequest.class,
                  body -> reservations.make(cinema, null, body))
              : null;
      case "GET" ->
          id != null && CorrelationId.isWritten(id)
              ? new Operation<>(
                  ReservationController.MADE, NoBody.class, none -> made(cinema, id, request))
              : null;
      default -> null;
    };
  }

  private ResponseEntity<?> made(String cinema, String id, HttpServletRequest request) {
    var headers = new HttpHeaders();
    headers.addAll(
        PreferredWait.HEADER, Collections.list(request.getHeaders(PreferredWait.HEADER)));
    try (var named = LoggedCorrelation.of(id)) {
      return reservations.made(cinema, CorrelationId.valueOf(id), headers);
    }
  }
}
