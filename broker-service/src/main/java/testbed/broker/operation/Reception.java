package testbed.broker.operation;

/** What became of a response. */
public enum Reception {
  /** Collected. */
  ACCEPTED,
  /** Collected after the deadline: a later fetch finds it. */
  LATE,
  /** The cinema had answered before. */
  DUPLICATE,
  /** Nothing waits for it, or it does not answer what was asked. */
  UNKNOWN
}
