package testbed.broker.operation;

import java.util.concurrent.CompletionStage;
import testbed.contracts.message.CinemaMessage.Question;

/**
 * Sends requests to the cinemas. An interface, so that this package does not depend on the AMQP
 * edge.
 */
@FunctionalInterface
public interface RequestChannel {

  /**
   * Sends a request and waits until it is known whether it was delivered. If that stays unknown, a
   * request that must not be carried out is withdrawn.
   *
   * @param answered completes when every cinema that was asked has answered, which also proves
   *     delivery
   */
  Delivery send(
      CorrelationId id, Operation<?> operation, Question<?> request, CompletionStage<?> answered);

  /** Whether a request was delivered. */
  enum Delivery {
    /** It is in its cinema's queue, or was answered. A request to all is in at least one queue. */
    CONFIRMED,
    /** It is in no queue: they are full or missing. Not every server says which. */
    REFUSED,
    /** It was not sent, or not confirmed in time: it expires or is withdrawn. */
    UNCONFIRMED,
    /** It was not confirmed in time and is not withdrawn: it may be carried out. */
    UNKNOWN
  }
}
