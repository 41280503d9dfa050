package testbed.support.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.ReceiverContext;
import io.micrometer.observation.transport.SenderContext;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpRequest;
import org.springframework.http.server.observation.ServerRequestObservationContext;
import org.springframework.mock.http.client.MockClientHttpRequest;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

class ClientsRequestsTest {

  private static final String CLIENT = "4bf92f3577b34da6a3ce929d0e0e4736";

  private final InMemorySpanExporter ended = InMemorySpanExporter.create();
  private final ObservationRegistry observations = ObservationRegistry.create();

  ClientsRequestsTest() {
    observations
        .observationConfig()
        .observationHandler(
            Tracing.requests(
                SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(ended))
                    .build()));
  }

  @Test
  void joinsTheClientsTrace() {
    var headers = new HashMap<String, String>();
    var request = servletRequest("/api/movie/list");
    request.addHeader("traceparent", "00-%s-00f067aa0ba902b7-01".formatted(CLIENT));

    handled(request).observe(() -> sent(headers).observe(() -> {}));

    assertThat(ended.getFinishedSpanItems()).extracting(SpanData::getTraceId).containsOnly(CLIENT);
    assertThat(ended.getFinishedSpanItems())
        .extracting(SpanData::getParentSpanId)
        .containsExactly(ended.getFinishedSpanItems().getLast().getSpanId(), "00f067aa0ba902b7");
    assertThat(headers.get("traceparent"))
        .contains(CLIENT, ended.getFinishedSpanItems().getFirst().getSpanId());
  }

  @Test
  void beginsOneForAClientWithout() {
    handled(servletRequest("/api/movie/list")).observe(() -> part().observe(() -> {}));

    assertThat(ended.getFinishedSpanItems())
        .hasSize(2)
        .extracting(SpanData::getTraceId)
        .containsOnly(ended.getFinishedSpanItems().getFirst().getTraceId());
  }

  @Test
  void leavesProbesAndScrapesOut() {
    handled(servletRequest("/actuator/health")).observe(() -> part().observe(() -> {}));
    handledReactively("/actuator/prometheus").observe(() -> part().observe(() -> {}));

    assertThat(ended.getFinishedSpanItems()).isEmpty();
  }

  @Test
  void followsReactiveRequests() {
    handledReactively("/cinema/ucd/movie/list").observe(() -> {});

    assertThat(ended.getFinishedSpanItems()).hasSize(1);
  }

  @Test
  void leavesOutWhatIsNoPartOfARequest() {
    var headers = new HashMap<String, String>();

    part().observe(() -> sent(headers).observe(() -> {}));

    assertThat(ended.getFinishedSpanItems()).isEmpty();
    assertThat(headers).isEmpty();
  }

  @Test
  void namesTraceAndSpanInTheLogWhileTheyLast() {
    List<String> logged = new ArrayList<>();
    Runnable line = () -> logged.add("%s %s".formatted(MDC.get("traceId"), MDC.get("spanId")));

    handled(servletRequest("/api/movie/list"))
        .observe(
            () -> {
              line.run();
              part().observe(line);
              line.run();
            });
    line.run();

    var inner = ended.getFinishedSpanItems().getFirst();
    var outer = ended.getFinishedSpanItems().getLast();
    var trace = outer.getTraceId();
    assertThat(logged)
        .containsExactly(
            "%s %s".formatted(trace, outer.getSpanId()),
            "%s %s".formatted(trace, inner.getSpanId()),
            "%s %s".formatted(trace, outer.getSpanId()),
            "null null");
  }

  private Observation handled(MockHttpServletRequest request) {
    return Observation.createNotStarted(
        "http",
        () -> new ServerRequestObservationContext(request, new MockHttpServletResponse()),
        observations);
  }

  /** As where the servlet API is not. */
  private Observation handledReactively(String path) {
    return Observation.createNotStarted(
        "http",
        () -> {
          var context = new ReceiverContext<HttpRequest>((request, name) -> null);
          context.setCarrier(new MockClientHttpRequest(HttpMethod.GET, URI.create(path)));
          return context;
        },
        observations);
  }

  private Observation sent(Map<String, String> headers) {
    return Observation.createNotStarted(
        "sent",
        () -> {
          var context = new SenderContext<Map<String, String>>(Map::put);
          context.setCarrier(headers);
          return context;
        },
        observations);
  }

  private Observation part() {
    return Observation.createNotStarted("part", observations);
  }

  private static MockHttpServletRequest servletRequest(String path) {
    return new MockHttpServletRequest("GET", path);
  }
}
