package testbed.gateway.breaker;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import java.net.URI;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Profile;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;
import testbed.gateway.RoutingProfile;
import testbed.gateway.access.MarketTokens;
import testbed.support.deadline.Deadline;
import testbed.support.deadline.DeadlineSettings;
import testbed.support.trace.TracingProfile;

/** Asks an instance of a service what a client has asked. */
@Component
@Profile(RoutingProfile.DIRECT)
class ServiceClient {

  /** The name that ForwardedRequest gives the gateway library's own observation. */
  private static final String OBSERVATION = "gateway.forwarded";

  private static final String CONTENT_LENGTH = "Content-Length";
  private static final String FORWARDED = "forwarded";
  private static final String FORWARDED_PARTS = "x-forwarded-";

  private final HttpClient client;
  private final boolean tellsTime;
  private final boolean isTraced;
  private final boolean passesTokens;
  private final ObservationRegistry observations;

  ServiceClient(HttpClient client, Environment environment, ObservationRegistry observations) {
    this.client = client;
    this.tellsTime = environment.getProperty(DeadlineSettings.HANDED_ON, Boolean.class, false);
    this.isTraced = environment.matchesProfiles(TracingProfile.NAME);
    this.passesTokens = MarketTokens.arePassedOn(environment);
    this.observations = observations;
  }

  /** Ends when the answer has begun. */
  Mono<Answer> ask(URI instance, Question question) {
    return isTraced
        ? traced(instance, question)
        : ask(instance, question, EmptyHttpHeaders.INSTANCE);
  }

  private Mono<Answer> ask(URI instance, Question question, HttpHeaders trace) {
    var request = question.request();
    return client
        .request(HttpMethod.valueOf(request.getMethod().name()))
        .uri(at(instance, request.getURI()))
        .send(
            (passedOn, out) -> {
              head(passedOn.requestHeaders(), question);
              // Replaces the client's trace headers: the service's spans belong to this span.
              passedOn.requestHeaders().setAll(trace);
              var body = question.body();
              return body.length == 0 ? out : out.send(Mono.just(Unpooled.wrappedBuffer(body)));
            })
        .responseConnection((head, connection) -> Mono.just(new Answer(head, connection)))
        .single();
  }

  private Mono<Answer> traced(URI instance, Question question) {
    return Mono.deferContextual(
        context -> {
          var trace = new DefaultHttpHeaders();
          var sender = new SenderContext<HttpHeaders>(ServiceClient::set, Kind.CLIENT);
          sender.setCarrier(trace);
          @Nullable Observation parent =
              context.getOrDefault(ObservationThreadLocalAccessor.KEY, null);
          var observation =
              Observation.createNotStarted(OBSERVATION, () -> sender, observations)
                  .parentObservation(parent)
                  .start();
          return ask(instance, question, trace)
              .doOnError(observation::error)
              .doFinally(end -> observation.stop());
        });
  }

  private static void set(@Nullable HttpHeaders carrier, String name, String value) {
    if (carrier != null) {
      carrier.set(name, value);
    }
  }

  /** Computed when the connection is established, so that waiting for it counts. */
  private void head(HttpHeaders headers, Question question) {
    var asked = question.request().getHeaders();
    var nominated = ConnectionHeaders.nominated(asked.get(ConnectionHeaders.CONNECTION));
    asked.forEach(
        (name, values) -> {
          if (isPassedOn(name, nominated)) {
            headers.set(name, values);
          }
        });
    if (asked.containsHeader(CONTENT_LENGTH) || RequestBodies.isIn(question.request())) {
      headers.set(CONTENT_LENGTH, question.body().length);
    }
    if (tellsTime) {
      headers.set(Deadline.HEADER, question.deadline().told());
    }
  }

  /**
   * Without the headers of the client's connection, its credentials, unless services check them,
   * and its forwarding headers.
   */
  private boolean isPassedOn(String name, Set<String> nominated) {
    var lower = name.toLowerCase(Locale.ROOT);
    return switch (lower) {
      case "host", "content-length", "expect", FORWARDED -> false;
      case "authorization" -> passesTokens;
      default ->
          !lower.startsWith(FORWARDED_PARTS) && !ConnectionHeaders.contains(lower, nominated);
    };
  }

  /** Path and query as they came: nothing is decoded, so nothing is encoded anew. */
  private static URI at(URI instance, URI request) {
    var query = request.getRawQuery();
    return URI.create(instance + request.getRawPath() + (query == null ? "" : "?" + query));
  }
}
