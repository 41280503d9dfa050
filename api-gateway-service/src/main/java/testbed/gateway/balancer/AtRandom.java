package testbed.gateway.balancer;

import java.net.URI;
import java.util.List;
import java.util.random.RandomGenerator;

/** Chooses at random, each instance with the same probability. */
final class AtRandom implements Balancer {

  private final RandomGenerator random;

  AtRandom(RandomGenerator random) {
    this.random = random;
  }

  @Override
  public URI choose(List<URI> instances) {
    return instances.get(random.nextInt(instances.size()));
  }
}
