package testbed.broker.operation;

/**
 * The request that an operation began with, for whoever looks at traces: its fetch is another one.
 */
@FunctionalInterface
public interface Origin {

  /** Nobody looks. */
  Origin UNTRACED = () -> {};

  /** Notes that the present request fetches what was asked for by this one. */
  void fetched();
}
