package testbed.broker.operation;

/** The request that started an operation, for traces: the fetch is another request. */
@FunctionalInterface
public interface Origin {

  /** Tracing is off. */
  Origin UNTRACED = () -> {};

  /** Notes that the current request fetches the answer to this one. */
  void fetched();
}
