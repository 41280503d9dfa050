package testbed.support.trace;

import io.micrometer.observation.Observation.Context;
import io.micrometer.observation.ObservationHandler.FirstMatchingCompositeObservationHandler;
import io.micrometer.observation.transport.ReceiverContext;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingSenderTracingObservationHandler;
import io.micrometer.tracing.handler.TracingObservationHandler.TracingContext;
import io.micrometer.tracing.propagation.Propagator;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpRequest;
import testbed.support.log.LoggedTrace;

/**
 * Only clients' requests begin a trace: probes, scrapes, presence, timers and the registry's client
 * do not. Log lines carry the ids.
 *
 * <p>Not by a predicate of the observation registry, which would remove the metrics as well.
 */
final class ClientsRequests extends FirstMatchingCompositeObservationHandler {

  private static final String ABOUT_THE_SERVICE = "/actuator";

  private final Tracer tracer;

  ClientsRequests(Tracer tracer, Propagator propagator) {
    super(
        new PropagatingReceiverTracingObservationHandler<>(tracer, propagator),
        new PropagatingSenderTracingObservationHandler<>(tracer, propagator),
        new DefaultTracingObservationHandler(tracer));
    this.tracer = tracer;
  }

  @Override
  public boolean supportsContext(Context context) {
    return context instanceof ReceiverContext<?> received
        ? !isAboutTheService(received.getCarrier())
        : isPartOfTraced(context);
  }

  @Override
  public void onScopeOpened(Context context) {
    super.onScopeOpened(context);
    nameInLog();
  }

  @Override
  public void onScopeClosed(Context context) {
    super.onScopeClosed(context);
    nameInLog();
  }

  private void nameInLog() {
    var span = tracer.currentSpan();
    if (span == null) {
      LoggedTrace.clear();
    } else {
      LoggedTrace.set(span.context().traceId(), span.context().spanId());
    }
  }

  private static boolean isAboutTheService(@Nullable Object carrier) {
    // In this order: a reactive service does not have the servlet class.
    if (carrier instanceof HttpRequest reactive) {
      return reactive.getURI().getPath().startsWith(ABOUT_THE_SERVICE);
    }
    return carrier instanceof HttpServletRequest servlet
        && servlet.getRequestURI().startsWith(ABOUT_THE_SERVICE);
  }

  private static boolean isPartOfTraced(Context context) {
    var above = context.getParentObservation();
    return above != null && above.getContextView().get(TracingContext.class) != null;
  }
}
