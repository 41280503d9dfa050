package testbed.broker.operation;

/** The request that an operation began with, for traces: its fetch is another request. */
@FunctionalInterface
public interface Origin {

  /** Tracing is off. */
  Origin UNTRACED = () -> {};

  /** Notes that the present request fetches what was asked for by this one. */
  void fetched();
}
