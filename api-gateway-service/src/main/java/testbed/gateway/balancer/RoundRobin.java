package testbed.gateway.balancer;

import java.net.URI;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Chooses the instances in turn. */
final class RoundRobin implements Balancer {

  private final AtomicInteger turn = new AtomicInteger();

  @Override
  public URI choose(List<URI> instances) {
    return instances.get(Math.floorMod(turn.getAndIncrement(), instances.size()));
  }
}
