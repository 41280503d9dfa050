package testbed.gateway.balancer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

class BalancingTest {

  private static final URI FIRST = URI.create("http://127.0.0.1:1");
  private static final URI SECOND = URI.create("http://127.0.0.1:2");
  private static final URI THIRD = URI.create("http://127.0.0.1:3");
  private static final List<URI> ALL = List.of(FIRST, SECOND, THIRD);
  private static final int MANY = 30_000;

  @Test
  void asksOneAfterTheOther() {
    var balancer = Balancing.ROUND_ROBIN.balancer(Duration.ZERO);

    assertThat(Stream.generate(() -> balancer.choose(ALL)).limit(6))
        .containsExactly(FIRST, SECOND, THIRD, FIRST, SECOND, THIRD);
  }

  @Test
  void asksAnyAtRandom() {
    var chosen = shares(new AtRandom(new Random(1)), ALL);

    assertThat(chosen.values()).hasSize(3).allSatisfy(share -> close(share, 1 / 3.0));
  }

  @Test
  void asksTheOneThatOwesTheFewestAnswers() {
    var balancer = Balancing.LEAST_IN_FLIGHT.balancer(Duration.ZERO);
    var owed = Sinks.<String>one();
    balancer.ask(FIRST, owed.asMono()).subscribe();
    balancer.ask(SECOND, Mono.never()).subscribe();
    balancer.ask(SECOND, Mono.never()).subscribe();

    assertThat(shares(balancer, ALL)).containsOnlyKeys(THIRD);
    assertThat(shares(balancer, List.of(FIRST, SECOND))).containsOnlyKeys(FIRST);

    owed.tryEmitValue("answer").orThrow();

    assertThat(shares(balancer, ALL)).containsOnlyKeys(FIRST, THIRD);
    assertThat(shares(balancer, List.of(SECOND))).containsOnlyKeys(SECOND);
  }

  @Test
  void forgetsWhatFailedOrWasGivenUp() {
    var balancer = Balancing.LEAST_IN_FLIGHT.balancer(Duration.ZERO);
    balancer.ask(FIRST, Mono.error(new IllegalStateException())).onErrorComplete().subscribe();
    balancer.ask(SECOND, Mono.never()).subscribe().dispose();

    assertThat(shares(balancer, ALL).values())
        .hasSize(3)
        .allSatisfy(share -> close(share, 1 / 3.0));
  }

  @Test
  void givesANewInstanceMoreAndMore() {
    var now = new AtomicLong();
    var balancer = new SlowStart(new RoundRobin(), Duration.ofNanos(100), now::get, new Random(1));
    var older = List.of(FIRST, SECOND);
    balancer.choose(older);

    now.set(200);
    close(share(balancer, THIRD), 0.1 / 3);
    now.set(250);
    close(share(balancer, THIRD), 0.5 / 3);
    now.set(300);
    close(share(balancer, THIRD), 1 / 3.0);

    // Gone, and back: it has started again.
    balancer.choose(older);
    close(share(balancer, THIRD), 0.1 / 3);
  }

  @Test
  void choosesANewInstanceIfTheOlderOnesAreLostMeanwhile() {
    var now = new AtomicLong();
    var lost = new AtomicBoolean();
    var balancer = new AtomicReference<SlowStart>();
    RandomGenerator random =
        () -> {
          // Another thread finds the older ones gone.
          if (lost.compareAndSet(false, true)) {
            balancer.get().choose(List.of(THIRD));
          }
          return -1;
        };
    balancer.set(new SlowStart(instances -> THIRD, Duration.ofNanos(100), now::get, random));
    balancer.get().choose(List.of(FIRST, THIRD));
    lost.set(false);

    assertThat(balancer.get().choose(List.of(FIRST, THIRD))).isEqualTo(THIRD);
  }

  @Test
  void doesNotPreferOneOfTwoNewInstances() {
    var balancer = Balancing.ROUND_ROBIN.balancer(Duration.ofDays(1));

    var chosen = shares(balancer, List.of(FIRST, SECOND));

    assertThat(chosen.values()).hasSize(2).allSatisfy(share -> close(share, 0.5));
  }

  private static double share(Balancer balancer, URI instance) {
    return shares(balancer, ALL).get(instance);
  }

  private static Map<URI, Double> shares(Balancer balancer, List<URI> instances) {
    return Stream.generate(() -> balancer.choose(instances))
        .limit(MANY)
        .collect(
            Collectors.groupingBy(
                Function.identity(), Collectors.summingDouble(instance -> 1.0 / MANY)));
  }

  private static void close(double share, double expected) {
    assertThat(share).isCloseTo(expected, within(0.02));
  }
}
