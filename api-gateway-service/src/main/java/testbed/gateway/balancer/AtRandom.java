package testbed.gateway.balancer;

import java.net.URI;
import java.util.List;
import java.util.random.RandomGenerator;

/** Each as likely as any other. */
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
