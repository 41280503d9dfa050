package testbed.broker.operation;

/** The result of receiving a response. */
public enum Reception {
  /** Collected. */
  ACCEPTED,
  /** Collected after the deadline: a later fetch finds it. */
  LATE,
  /** The cinema had answered before. */
  DUPLICATE,
  /** No operation waits for it, or it answers another kind of request. */
  UNKNOWN
}
