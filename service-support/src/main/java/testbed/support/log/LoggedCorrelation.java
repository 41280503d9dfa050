package testbed.support.log;

import org.slf4j.MDC;

/**
 * Adds a correlation id to the log lines of this thread (MDC); the text pattern and the JSON format
 * both use it.
 */
public final class LoggedCorrelation {

  /** The id's name among a line's fields. */
  public static final String KEY = "correlationId";

  private LoggedCorrelation() {}

  /** Names the id until it is closed. */
  public static MDC.MDCCloseable of(String correlationId) {
    return MDC.putCloseable(KEY, correlationId);
  }
}
