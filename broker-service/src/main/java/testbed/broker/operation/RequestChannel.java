package testbed.broker.operation;

import testbed.contracts.message.CinemaMessage.Question;

/**
 * The way to the cinemas. An interface because the direction of the dependency is the point: the
 * edge knows this package, not the other way round.
 */
@FunctionalInterface
public interface RequestChannel {

  /** Hands a request over and waits until its fate is known. */
  Delivery send(CorrelationId id, Operation<?> operation, Question<?> request);

  /** What became of a request. */
  enum Delivery {
    /** It lies in the queue of everyone it is meant for. */
    CONFIRMED,
    /**
     * It lies in no queue, or not in every one. A missing queue is the usual reason, and not every
     * server says that it is.
     */
    REFUSED,
    /** Nobody knows: the server cannot be reached, or has not confirmed it in time. */
    UNCONFIRMED
  }
}
