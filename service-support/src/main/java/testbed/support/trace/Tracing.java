package testbed.support.trace;

import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelPropagator;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.MeterProvider;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import java.time.Duration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Profile;
import org.springframework.core.env.Environment;

/**
 * Exports observations as spans by OTLP. Wired under the profile only, so that OpenTelemetry is not
 * started without it.
 */
@AutoConfiguration
@Profile(TracingProfile.NAME)
public class Tracing {

  /** Closed with the context, after the last requests; it then sends what is left. */
  @Bean
  SdkTracerProvider spans(Environment environment) {
    var receiver =
        OtlpHttpSpanExporter.builder()
            .setEndpoint(environment.getRequiredProperty(TracingProfile.PROPERTY))
            .setMeterProvider(MeterProvider.noop())
            // No retries: a receiver that is away gets the next spans.
            .setRetryPolicy(null)
            .build();
    var sending =
        BatchSpanProcessor.builder(receiver)
            // Under load there are thousands of spans a second; the queue drops what does not fit.
            .setMaxQueueSize(1 << 13)
            .setMaxExportBatchSize(1 << 10)
            .setScheduleDelay(Duration.ofSeconds(1))
            .build();
    return SdkTracerProvider.builder()
        .setResource(Resource.getDefault().merge(service(environment)))
        .addSpanProcessor(sending)
        .build();
  }

  @Bean
  ClientsRequests clientsRequests(SdkTracerProvider spans) {
    return requests(spans);
  }

  static ClientsRequests requests(SdkTracerProvider spans) {
    var tracer = spans.get("testbed");
    return new ClientsRequests(
        new OtelTracer(tracer, new OtelCurrentTraceContext(), event -> {}),
        new OtelPropagator(
            ContextPropagators.create(W3CTraceContextPropagator.getInstance()), tracer));
  }

  private static Resource service(Environment environment) {
    var attributes = Attributes.builder();
    attributes.put("service.name", environment.getRequiredProperty("spring.application.name"));
    var variant = environment.getProperty("testbed.variant", "");
    if (!variant.isEmpty()) {
      attributes.put("variant", variant);
    }
    return Resource.create(attributes.build());
  }
}
