package testbed.poster.web;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.stereotype.Component;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;
import testbed.poster.PosterSettings;
import testbed.poster.work.Edited;
import testbed.support.deadline.Deadline;
import testbed.support.deadline.DeadlineSettings;
import tools.jackson.databind.json.JsonMapper;

/** Calls the services of the next steps, and the first one with the result. */
@Component
class Neighbours {

  private final PosterSettings settings;
  private final boolean deadlineHandedOn;
  private final RestClient client;
  private final JsonMapper json;

  Neighbours(
      PosterSettings settings,
      DeadlineSettings deadlines,
      RestClient.Builder client,
      JsonMapper json) {
    this.settings = settings;
    this.deadlineHandedOn = deadlines.handedOn();
    this.client = client.build();
    this.json = json;
  }

  /** What to do with an answer. */
  @FunctionalInterface
  interface Answer {
    void take(ClientHttpResponse answer) throws IOException;
  }

  /**
   * Sends a poster to the service of the next step.
   *
   * @param further headers beside those that every poster has
   * @param whenAnswered takes the answer, whatever its status
   * @throws NextAway if it cannot be reached
   * @throws NoAnswer if it did not answer in time
   */
  void ask(Edited edited, Consumer<HttpHeaders> further, Answer whenAnswered) {
    send(
        at(settings.next(), PosterApi.POSTERS),
        edited,
        headers -> {
          headers.setAccept(List.of(Formats.mediaType(edited.wanted())));
          further.accept(headers);
        },
        whenAnswered);
  }

  /** Sends the finished poster to the first service. */
  void answer(String id, Edited edited) {
    send(
        at(settings.first(), PosterApi.ANSWERS + id),
        edited,
        headers -> headers.set(PosterApi.DIGEST, edited.digest()),
        answer -> {});
  }

  /** Tells the first service why there is no poster. */
  void refuse(String id, ProblemDetail problem, HttpHeaders further) {
    further.setContentType(MediaType.APPLICATION_PROBLEM_JSON);
    refuse(id, problem.getStatus(), further, json.writeValueAsBytes(problem));
  }

  /** Tells the first service what a service behind this one has refused. */
  void refuse(String id, ClientHttpResponse refusal) throws IOException {
    var further = new HttpHeaders();
    PosterApi.copy(PosterApi.OF_REFUSALS, refusal.getHeaders()::getFirst, further::set);
    refuse(id, refusal.getStatusCode().value(), further, refusal.getBody().readAllBytes());
  }

  private void refuse(String id, int status, HttpHeaders further, byte[] body) {
    exchange(
        at(settings.first(), PosterApi.ANSWERS + id),
        headers -> {
          headers.putAll(further);
          headers.set(PosterApi.STATUS, String.valueOf(status));
        },
        body,
        answer -> {});
  }

  /** The steps that follow after this service's. */
  List<String> steps() {
    if (settings.isLast()) {
      return List.of();
    }
    try {
      var steps =
          client
              .get()
              .uri(at(settings.next(), PosterApi.STEPS_TO_DO))
              .retrieve()
              .onStatus(
                  HttpStatusCode::isError,
                  (request, answer) -> {
                    throw new NextAway();
                  })
              .body(String[].class);
      return steps == null ? List.of() : List.of(steps);
    } catch (ResourceAccessException unreachable) {
      throw problem(unreachable);
    }
  }

  private void send(
      URI address, Edited edited, Consumer<HttpHeaders> further, Answer whenAnswered) {
    exchange(
        address,
        headers -> {
          headers.set(PosterApi.STEPS, PosterApi.shown(edited.done()));
          headers.setContentType(Formats.mediaType(edited.poster().format()));
          further.accept(headers);
        },
        edited.poster().bytes(),
        whenAnswered);
  }

  private void exchange(
      URI address, Consumer<HttpHeaders> headers, byte[] body, Answer whenAnswered) {
    try {
      client
          .post()
          .uri(address)
          .headers(headers)
          .headers(this::tellDeadline)
          .body(body)
          .exchange(
              (request, answer) -> {
                whenAnswered.take(answer);
                return answer.getStatusCode();
              });
    } catch (ResourceAccessException unreachable) {
      throw problem(unreachable);
    }
  }

  private void tellDeadline(HttpHeaders headers) {
    var deadline = Deadline.current();
    if (deadlineHandedOn && deadline != null) {
      headers.set(Deadline.HEADER, deadline.told());
    }
  }

  private static RuntimeException problem(ResourceAccessException failure) {
    boolean late =
        (failure.contains(HttpTimeoutException.class)
                || failure.contains(SocketTimeoutException.class))
            && !failure.contains(HttpConnectTimeoutException.class);
    return late ? new NoAnswer() : new NextAway();
  }

  private static URI at(@Nullable URI service, String path) {
    if (service == null) {
      throw new IllegalStateException("no service is set for " + path);
    }
    return service.resolve(path);
  }
}
