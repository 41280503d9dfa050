package testbed.tier.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import testbed.contracts.ProblemType;
import testbed.tier.token.Tier;

/** What holds wherever requests are counted. */
abstract class TierLimitsContract {

  static final Duration HOUR = Duration.ofHours(1);

  final SetClock clock = new SetClock();
  TierLimits limits;

  /** Empty buckets of a process. */
  abstract Buckets buckets();

  /** How many clients are stored. */
  abstract long stored();

  @BeforeEach
  void start() {
    limits = new TierLimits(buckets());
  }

  @AfterEach
  void stop() {
    limits.close();
  }

  @Test
  void letAsManyThroughAsTheTierMayMake() {
    assertThat(passed("jane", Tier.BASIC, 120)).isEqualTo(50);
    assertThat(passed("john", Tier.PREMIUM, 120)).isEqualTo(100);
  }

  /** What refills little by little would let 99 through. */
  @Test
  void letNoMoreThroughInAnHourHoweverTheyAreSpread() {
    int passed = 0;
    for (int minute = 0; minute < 60; minute++) {
      passed += passed("jane", Tier.BASIC, 2);
      clock.pass(Duration.ofMinutes(1));
    }

    assertThat(passed).isEqualTo(50);
  }

  @Test
  void beginAnHourWithTheFirstRequestAndTheNextWithTheFirstOneAfterIt() {
    passed("jane", Tier.BASIC, 50);
    clock.pass(HOUR.minusMillis(1));
    assertThat(passed("jane", Tier.BASIC, 1)).isZero();

    clock.pass(Duration.ofMillis(1));
    clock.pass(Duration.ofMinutes(30));
    assertThat(passed("jane", Tier.BASIC, 60)).isEqualTo(50);
    clock.pass(Duration.ofMinutes(30));
    assertThat(passed("jane", Tier.BASIC, 1)).isZero();
    clock.pass(Duration.ofMinutes(30));
    assertThat(passed("jane", Tier.BASIC, 60)).isEqualTo(50);
  }

  /** The end of one hour and the beginning of the next. */
  @Test
  void letTwiceAsMuchThroughInAShortTimeAtTheMost() {
    passed("jane", Tier.BASIC, 1);
    clock.pass(HOUR.minusMillis(1));
    int passed = passed("jane", Tier.BASIC, 60);
    clock.pass(Duration.ofMillis(1));
    passed += passed("jane", Tier.BASIC, 60);

    assertThat(passed).isEqualTo(99);
  }

  @Test
  void sayWhenTheHourEnds() {
    passed("jane", Tier.BASIC, 50);
    clock.pass(Duration.ofMinutes(20).plusMillis(1));

    assertThat(limits.refusal("jane", Tier.BASIC))
        .hasValueSatisfying(
            refusal -> {
              assertThat(refusal.type()).isEqualTo(ProblemType.TOO_MANY_REQUESTS);
              assertThat(refusal.detail())
                  .isEqualTo("A client of tier basic may make 50 requests an hour.");
              assertThat(refusal.retryAfter()).contains(Duration.ofMinutes(40));
            });
    clock.pass(Duration.ofMinutes(40));
    assertThat(limits.refusal("jane", Tier.BASIC)).isEmpty();
  }

  @Test
  void keepClientsApartByTheirExactNames() {
    var names =
        List.of("jane", "Jane", "ja:ne", "ja.ne", "jane ", " jane", "basic:jane", "", "jané");
    names.forEach(name -> passed(name, Tier.BASIC, 50));

    names.forEach(name -> assertThat(passed(name, Tier.BASIC, 1)).as(name).isZero());
    assertThat(passed("JANE", Tier.BASIC, 60)).isEqualTo(50);
    assertThat(passed("john", Tier.PREMIUM, 120)).isEqualTo(100);
  }

  /** A client with tokens of both tiers does not have the sum of both. */
  @Test
  void countAClientOnceWhateverTheTier() {
    assertThat(passed("jane", Tier.BASIC, 60)).isEqualTo(50);
    assertThat(passed("jane", Tier.PREMIUM, 1)).isZero();

    assertThat(passed("john", Tier.BASIC, 25)).isEqualTo(25);
    assertThat(passed("john", Tier.PREMIUM, 60)).isEqualTo(50);
  }

  @Test
  void countRequestsThatComeTogether() throws Exception {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Callable<Integer> request = () -> passed("jane", Tier.BASIC, 1);
      int passed = 0;
      for (Future<Integer> result :
          threads.invokeAll(IntStream.range(0, 80).mapToObj(number -> request).toList())) {
        passed += result.get();
      }

      assertThat(passed).isEqualTo(50);
    }
  }

  @Test
  void forgetClientsWhoseHourHasEnded() {
    IntStream.range(0, 20).forEach(number -> passed("client" + number, Tier.BASIC, 1));
    clock.pass(HOUR.dividedBy(2));
    passed("jane", Tier.BASIC, 1);
    assertThat(stored()).isEqualTo(21);

    clock.pass(HOUR.dividedBy(2));
    passed("client7", Tier.BASIC, 1);
    assertThat(stored()).isEqualTo(2);
  }

  int passed(String client, Tier tier, int requests) {
    return passed(limits, client, tier, requests);
  }

  /** How many of these requests are carried out. */
  static int passed(TierLimits limits, String client, Tier tier, int requests) {
    return (int)
        IntStream.range(0, requests)
            .filter(number -> limits.refusal(client, tier).isEmpty())
            .count();
  }
}
