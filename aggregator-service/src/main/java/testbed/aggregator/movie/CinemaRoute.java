package testbed.aggregator.movie;

import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;

/** A way to ask one cinema, within the deadline of the thread. */
@FunctionalInterface
public interface CinemaRoute {

  /**
   * Asks, and does not wait for the answer.
   *
   * @return reads the answer; to be called once, by the same thread
   */
  Question ask(CinemaName cinema);

  /** A question that was asked. */
  @FunctionalInterface
  interface Question {

    /**
     * Waits for the cinema with its movies; any exception means that it did not answer.
     *
     * @throws NoPortLeft if it could not be asked for lack of a local port
     */
    Cinema answer();
  }
}
