package testbed.broker.web;

import java.time.Duration;
import java.util.Optional;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Component;
import testbed.broker.BrokerSettings;
import testbed.broker.operation.Answer;
import testbed.broker.operation.CorrelationId;
import testbed.broker.operation.Operation;
import testbed.broker.operation.Operations;
import testbed.support.web.CinemasMissing;
import testbed.support.web.Paging;

/** Fetches answers for both controllers. */
@Component
class Fetch {

  private static final String PREFER = "Prefer";
  private static final String PREFERENCE_APPLIED = "Preference-Applied";
  private static final String RETRY_AFTER_SECONDS = "1";

  private final Operations operations;
  private final Duration longestWait;

  Fetch(Operations operations, BrokerSettings settings) {
    this.operations = operations;
    this.longestWait = settings.maxWait();
  }

  /**
   * @param headers of the request
   */
  ResponseEntity<?> answer(CorrelationId id, Operation operation, HttpHeaders headers) {
    var wait = PreferredWait.in(headers.getOrEmpty(PREFER), longestWait);
    return switch (operations.fetch(id, operation, wait.orElse(Duration.ZERO))) {
      case Answer.Pending pending ->
          response(HttpStatus.ACCEPTED, wait)
              .header(HttpHeaders.RETRY_AFTER, RETRY_AFTER_SECONDS)
              .build();
      case Answer.Movies movies ->
          response(HttpStatus.OK, wait)
              .headers(CinemasMissing.named(movies.missing()))
              .body(movies.cinemas());
      case Answer.Made made -> response(HttpStatus.OK, wait).body(made.reservation());
      case Answer.Listed listed ->
          response(HttpStatus.OK, wait)
              .headers(
                  Paging.headers(listed.found(), ReservationController.listOf(listed.cinema())))
              .body(listed.found().reservations());
    };
  }

  private static ResponseEntity.BodyBuilder response(HttpStatus status, Optional<Duration> wait) {
    var response = ResponseEntity.status(status);
    wait.ifPresent(
        applied -> response.header(PREFERENCE_APPLIED, "wait=%d".formatted(applied.toSeconds())));
    return response;
  }
}
