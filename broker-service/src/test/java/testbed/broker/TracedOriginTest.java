package testbed.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import org.junit.jupiter.api.Test;

class TracedOriginTest {

  private final InMemorySpanExporter ended = InMemorySpanExporter.create();
  private final SdkTracerProvider spans =
      SdkTracerProvider.builder().addSpanProcessor(SimpleSpanProcessor.create(ended)).build();

  @Test
  void linksTheFetchToTheRequest() {
    var request = span("request");
    TracedOrigin origin;
    try (var current = request.makeCurrent()) {
      origin = (TracedOrigin) TracedOrigin.here();
    }
    request.end();
    var fetch = span("fetch");
    try (var current = fetch.makeCurrent()) {
      origin.fetched();
    }
    fetch.end();

    assertThat(ended.getFinishedSpanItems())
        .last()
        .satisfies(
            last ->
                assertThat(last.getLinks())
                    .containsExactly(LinkData.create(request.getSpanContext())));
  }

  private Span span(String name) {
    return spans.get("test").spanBuilder(name).startSpan();
  }
}
