package testbed.support.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.tracing.handler.TracingObservationHandler.TracingContext;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import jakarta.servlet.RequestDispatcher;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.http.server.observation.ServerRequestObservationContext;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.filter.ServerHttpObservationFilter;

class ErrorPageTest {

  private final MockHttpServletRequest failed = new MockHttpServletRequest();

  ErrorPageTest() {
    failed.setAttribute(RequestDispatcher.ERROR_STATUS_CODE, 500);
  }

  @Test
  void namesTheTraceOfTheRequestThatFailed() {
    var tracer =
        new OtelTracer(
            SdkTracerProvider.builder().build().get("test"),
            new OtelCurrentTraceContext(),
            event -> {});
    var span = tracer.nextSpan().start();
    var tracing = new TracingContext();
    tracing.setSpan(span);
    var observation = new ServerRequestObservationContext(failed, new MockHttpServletResponse());
    observation.put(TracingContext.class, tracing);
    failed.setAttribute(
        ServerHttpObservationFilter.CURRENT_OBSERVATION_CONTEXT_ATTRIBUTE, observation);

    assertThat(members()).containsOnly(Map.entry("traceId", span.context().traceId()));
  }

  @Test
  void namesNoneWhereNothingIsTraced() {
    failed.setAttribute(
        ServerHttpObservationFilter.CURRENT_OBSERVATION_CONTEXT_ATTRIBUTE,
        new ServerRequestObservationContext(failed, new MockHttpServletResponse()));

    assertThat(members()).isNull();
  }

  private Map<String, Object> members() {
    return new ErrorPage().problem(failed).getBody().getProperties();
  }
}
