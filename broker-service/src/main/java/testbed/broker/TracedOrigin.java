package testbed.broker;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import testbed.broker.operation.Origin;

/** Links the span of each fetch to that of the request. */
record TracedOrigin(SpanContext request) implements Origin {

  /** The request that is handled on this thread. */
  static Origin here() {
    return new TracedOrigin(Span.current().getSpanContext());
  }

  @Override
  public void fetched() {
    Span.current().addLink(request);
  }
}
