package testbed.gateway.balancer;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import reactor.core.publisher.Mono;

/**
 * Gives a new instance fewer requests than older ones have, as a JVM that has just started is slow.
 * Where all are equally new, all get the same. An instance that could not be reached is new again.
 */
final class SlowStart implements Balancer {

  /** The initial share: without requests an instance would not warm up. */
  private static final double LEAST = 0.1;

  private final Balancer balancer;
  private final Duration length;
  private final LongSupplier nanoTime;
  private final RandomGenerator random;

  /** When each instance was first seen. */
  private final Map<URI, Long> since = new ConcurrentHashMap<>();

  SlowStart(Balancer balancer, Duration length, LongSupplier nanoTime, RandomGenerator random) {
    this.balancer = balancer;
    this.length = length;
    this.nanoTime = nanoTime;
    this.random = random;
  }

  @Override
  public URI choose(List<URI> instances) {
    long now = nanoTime.getAsLong();
    since.keySet().retainAll(instances);
    var chosen = balancer.choose(instances);
    double share = share(chosen, now);
    double most =
        instances.stream().mapToDouble(instance -> share(instance, now)).max().orElse(share);
    if (random.nextDouble() * most < share) {
      return chosen;
    }
    // A second choice by the balancer would favour some instances.
    var older = instances.stream().filter(instance -> share(instance, now) > share).toList();
    // None, if they have become new meanwhile.
    return older.isEmpty() ? chosen : older.get(random.nextInt(older.size()));
  }

  @Override
  public <T> Mono<T> ask(URI instance, Mono<T> answer) {
    return balancer.ask(instance, answer);
  }

  private double share(URI instance, long now) {
    long age = now - since.computeIfAbsent(instance, first -> now);
    return Math.clamp((double) age / length.toNanos(), LEAST, 1);
  }
}
