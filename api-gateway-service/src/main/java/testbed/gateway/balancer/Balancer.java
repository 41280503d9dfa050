package testbed.gateway.balancer;

import java.net.URI;
import java.util.List;
import reactor.core.publisher.Mono;

/** Chooses among the instances of one service, for many requests at once. */
public interface Balancer {

  /**
   * Chooses the instance that is asked next.
   *
   * @param instances at least one
   */
  URI choose(List<URI> instances);

  /** Counts a request as in flight at the instance until its answer begins. */
  default <T> Mono<T> ask(URI instance, Mono<T> answer) {
    return answer;
  }
}
