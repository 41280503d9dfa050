package testbed.gateway.balancer;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

/** The rule by which a balancer chooses. */
public enum Balancing {
  ROUND_ROBIN,
  RANDOM,
  LEAST_IN_FLIGHT;

  /** Other generators are not safe for several threads. */
  private static final RandomGenerator CHANCE = () -> ThreadLocalRandom.current().nextLong();

  /**
   * Makes a balancer for one service.
   *
   * @param slowStart how long a new instance gets fewer requests than the others; zero for never
   */
  public Balancer balancer(Duration slowStart) {
    Balancer balancer =
        switch (this) {
          case ROUND_ROBIN -> new RoundRobin();
          case RANDOM -> new AtRandom(CHANCE);
          case LEAST_IN_FLIGHT -> new LeastInFlight();
        };
    return slowStart.isZero()
        ? balancer
        : new SlowStart(balancer, slowStart, System::nanoTime, CHANCE);
  }
}
