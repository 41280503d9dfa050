package testbed.broker.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.validation.Validator;
import java.util.Collections;
import java.util.function.BiFunction;
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

/**
 * The short way to a list of movies, to a reservation, and to the answers of both, for clients
 * without a limit.
 */
@Component
@ConditionalOnBooleanProperty(WebSettings.SHORT_WAY)
@ConditionalOnWebApplication
class ShortRequests extends ShortWay {

  private static final String ID = "(?:/([0-9a-f-]{36}))?";
  private static final Pattern LIST = Pattern.compile(MovieController.LIST + ID);
  private static final Pattern MAKE =
      Pattern.compile("/api/cinema/([a-z][a-z0-9-]{0,39})/reservation/make" + ID);

  private final boolean isLimited;
  private final MovieController movies;
  private final ReservationController reservations;

  ShortRequests(
      ClientSettings clients,
      MovieController movies,
      ReservationController reservations,
      JsonMapper json,
      Validator validator,
      @Qualifier("handlerExceptionResolver") HandlerExceptionResolver problems) {
    super(json, validator, problems);
    this.isLimited = clients.rateLimit() != null;
    this.movies = movies;
    this.reservations = reservations;
  }

  @Override
  protected @Nullable Operation<?> operation(HttpServletRequest request) {
    if (isLimited) {
      return null;
    }
    var path = request.getRequestURI();
    var make = MAKE.matcher(path);
    if (make.matches()) {
      return reservation(make.group(1), make.group(2), request);
    }
    var list = LIST.matcher(path);
    return list.matches() ? list(list.group(1), request) : null;
  }

  private @Nullable Operation<?> list(@Nullable String id, HttpServletRequest request) {
    if (!"GET".equals(request.getMethod())) {
      return null;
    }
    return id == null
        ? Operation.without(MovieController.LIST, () -> movies.list(preferences(request)))
        : fetch(MovieController.LISTED, id, request, movies::listed);
  }

  private @Nullable Operation<?> reservation(
      String cinema, @Nullable String id, HttpServletRequest request) {
    return switch (request.getMethod()) {
      case "POST" ->
          id == null
              ? new Operation<>(
                  ReservationController.MAKE,
                  ReservationRequest.class,
                  body ->
                      reservations.make(
                          cinema, IdempotencyKeys.of(request), body, preferences(request)))
              : null;
      case "GET" ->
          id == null
              ? null
              : fetch(
                  ReservationController.MADE,
                  id,
                  request,
                  (made, headers) -> reservations.made(cinema, made, headers));
      default -> null;
    };
  }

  private static @Nullable Operation<?> fetch(
      String path,
      String id,
      HttpServletRequest request,
      BiFunction<CorrelationId, HttpHeaders, ResponseEntity<?>> controller) {
    if (!CorrelationId.isWritten(id)) {
      return null;
    }
    var headers = preferences(request);
    return Operation.without(
        path,
        () -> {
          try (var named = LoggedCorrelation.of(id)) {
            return controller.apply(CorrelationId.valueOf(id), headers);
          }
        });
  }

  private static HttpHeaders preferences(HttpServletRequest request) {
    var headers = new HttpHeaders();
    headers.addAll(
        PreferredWait.HEADER, Collections.list(request.getHeaders(PreferredWait.HEADER)));
    return headers;
  }
}
