package testbed.broker.web;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.ResponseEntity.BodyBuilder;
import org.springframework.stereotype.Component;
import testbed.broker.BrokerSettings;
import testbed.broker.operation.Answer;
import testbed.broker.operation.CorrelationId;
import testbed.broker.operation.Operation;
import testbed.broker.operation.Operations;
import testbed.cinemas.CinemasMissing;
import testbed.contracts.message.CinemaMessage.Question;
import testbed.contracts.message.CinemaMessage.Response;
import testbed.support.web.PreferredWait;

/** The two halves of every operation: its request is acknowledged, its answer is fetched. */
@Component
class RequestReply {

  private static final String RETRY_AFTER_SECONDS = "1";

  private final Operations operations;
  private final ApplicationAvailability availability;
  private final Duration longestWait;
  private final WaitingPlaces places;

  RequestReply(
      Operations operations, ApplicationAvailability availability, BrokerSettings settings) {
    this.operations = operations;
    this.availability = availability;
    this.longestWait = settings.maxWait();
    this.places =
        new WaitingPlaces(Objects.requireNonNullElse(settings.waitingPlaces(), Integer.MAX_VALUE));
  }

  /**
   * Starts an operation. The response has its id and the address of its answer, or the answer if
   * the client prefers to wait for it.
   *
   * @param path of the request; its answer is one segment below
   * @param headers of the request
   * @param content writes the cinemas' responses
   */
  <A extends Response> ResponseEntity<?> start(
      Operation<A> operation,
      Question<A> request,
      String path,
      HttpHeaders headers,
      BiFunction<BodyBuilder, List<A>, ResponseEntity<?>> content) {
    var preferred = PreferredWait.in(headers, longestWait);
    var id = operations.start(operation, request);
    var location = path + "/" + id;
    try (var place = places.take(operation, preferred)) {
      var wait = place.time();
      if (wait.isPresent()) {
        var answer = operations.fetch(id, operation, wait.get());
        if (answer.isPresent()) {
          var response = answered(answer.get(), wait).header(HttpHeaders.LOCATION, location);
          return content.apply(
              response.contentType(MediaType.APPLICATION_JSON), answer.get().responses());
        }
      }
      return status(HttpStatus.ACCEPTED, wait)
          .header(HttpHeaders.LOCATION, location)
          .contentType(MediaType.TEXT_PLAIN)
          .body(id.toString());
    }
  }

  /**
   * Returns an answer, or 202 while it is pending.
   *
   * @param headers of the request
   * @param content writes the cinemas' responses
   */
  <A extends Response> ResponseEntity<?> fetch(
      CorrelationId id,
      Operation<A> operation,
      HttpHeaders headers,
      BiFunction<BodyBuilder, List<A>, ResponseEntity<?>> content) {
    try (var place = places.take(operation, PreferredWait.in(headers, longestWait))) {
      var wait = place.time();
      var fetched = operations.fetch(id, operation, wait.orElse(Duration.ZERO));
      if (fetched.isEmpty()) {
        return status(HttpStatus.ACCEPTED, wait)
            .header(HttpHeaders.RETRY_AFTER, RETRY_AFTER_SECONDS)
            .build();
      }
      var answer = fetched.get();
      return content.apply(answered(answer, wait), answer.responses());
    }
  }

  private BodyBuilder answered(Answer<?> answer, Optional<Duration> wait) {
    var response = status(HttpStatus.OK, wait).headers(CinemasMissing.named(answer.missing()));
    if (availability.getReadinessState() == ReadinessState.REFUSING_TRAFFIC) {
      // This broker is about to end: the client's next operation needs another one. Not earlier, as
      // this one alone has the answer.
      response.header(HttpHeaders.CONNECTION, "close");
    }
    return response;
  }

  private static BodyBuilder status(HttpStatus status, Optional<Duration> wait) {
    return PreferredWait.applied(ResponseEntity.status(status), wait);
  }
}
