package testbed.support.log;

import org.slf4j.MDC;

/**
 * Names, in every line that is logged meanwhile on this thread, the correlation id of the request
 * that the line is about: the text pattern and the JSON format both take it from there.
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
