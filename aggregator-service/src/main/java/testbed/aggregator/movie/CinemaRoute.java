package testbed.aggregator.movie;

import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;

/**
 * A way to ask one cinema. Blocks; ends early, with any exception, when its thread is interrupted.
 */
@FunctionalInterface
public interface CinemaRoute {

  /**
   * The cinema with its movies; any exception means that it did not answer.
   *
   * @throws NoPortLeft if it could not be asked for lack of a local port
   */
  Cinema ask(CinemaName cinema);
}
