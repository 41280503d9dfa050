package testbed.gateway.balancer;

import java.net.URI;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import reactor.core.publisher.Mono;

/** Chooses the instance with the fewest requests in flight; of equals, the next in turn. */
final class LeastInFlight implements Balancer {

  /** Requests in flight, by instance. */
  private final Map<URI, Integer> inFlight = new ConcurrentHashMap<>();

  private final AtomicInteger turn = new AtomicInteger();

  @Override
  public URI choose(List<URI> instances) {
    int first = turn.getAndIncrement();
    return IntStream.range(0, instances.size())
        .mapToObj(step -> instances.get(Math.floorMod(first + step, instances.size())))
        .min(Comparator.comparingInt(instance -> inFlight.getOrDefault(instance, 0)))
        .orElseThrow();
  }

  @Override
  public <T> Mono<T> ask(URI instance, Mono<T> answer) {
    return Mono.defer(
        () -> {
          inFlight.merge(instance, 1, Integer::sum);
          return answer.doFinally(end -> answered(instance));
        });
  }

  private void answered(URI instance) {
    inFlight.merge(instance, -1, Integer::sum);
    // Instances come and go.
    inFlight.remove(instance, 0);
  }
}
