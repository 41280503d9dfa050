package testbed.support.log;

import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/** Adds the trace and the span to the log lines of this thread (MDC). */
public final class LoggedTrace {

  /** The trace's name among a line's fields, and among a problem's members. */
  public static final String TRACE = "traceId";

  private static final String SPAN = "spanId";

  private LoggedTrace() {}

  /** The id of this thread's trace, if there is one. */
  public static @Nullable String id() {
    return MDC.get(TRACE);
  }

  public static void set(String traceId, String spanId) {
    MDC.put(TRACE, traceId);
    MDC.put(SPAN, spanId);
  }

  public static void clear() {
    MDC.remove(TRACE);
    MDC.remove(SPAN);
  }
}
