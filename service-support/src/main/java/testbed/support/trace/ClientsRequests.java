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
 * Makes spans of clients' requests and of all that is done for them, and of nothing else: probes,
 * scrapes, signs of presence, timers and the registry's client begin no trace. Lines that are
 * logged meanwhile carry the ids.
 *
 * <p>A predicate of the observation registry would not do: it would take the metrics away as well.
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
    // In this order: where requests are of the first kind, there is no class for the second.
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
