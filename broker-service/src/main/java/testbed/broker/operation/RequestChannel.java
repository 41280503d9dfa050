package testbed.broker.operation;

import java.util.concurrent.CompletionStage;
import testbed.contracts.message.CinemaMessage.Question;

/**
 * The way to the cinemas. An interface because the direction of the dependency is the point: the
 * edge knows this package, not the other way round.
 */
@FunctionalInterface
public interface RequestChannel {

  /**
   * Hands a request over and waits until its fate is known. One that may have been delivered all
   * the same, and must not be, is taken back.
   *
   * @param answered completes when every cinema that was asked has answered: then it was delivered,
   *     whatever the server has confirmed
   */
  Delivery send(
      CorrelationId id, Operation<?> operation, Question<?> request, CompletionStage<?> answered);

  /** What became of a request. */
  enum Delivery {
    /**
     * It lies in the queue of everyone it is meant for, or they have answered it. A request to all
     * lies in at least one queue.
     */
    CONFIRMED,
    /** It lies in no queue: they are full or missing. Not every server says which. */
    REFUSED,
    /** The server cannot be reached, takes no messages now, or has not confirmed it in time. */
    UNCONFIRMED
  }
}
