package testbed.support.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.security.Principal;
import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import testbed.contracts.ProblemType;

class ClientRatesTest {

  private static final Principal JANE = () -> "jane";
  private static final Principal JOE = () -> "joe";
  private static final String HERE = "127.0.0.1";

  private final ClientRates twoAMinute =
      new ClientRates(new ClientSettings(new Rate(2, Duration.ofMinutes(1))));

  @Test
  void refuseWhatIsOverTheRateAndSayWhenToTryAgain() {
    assertThat(twoAMinute.refusal(null, HERE)).isEmpty();
    assertThat(twoAMinute.refusal(null, HERE)).isEmpty();

    assertThat(twoAMinute.refusal(null, HERE))
        .hasValueSatisfying(
            refusal -> {
              assertThat(refusal.type()).isEqualTo(ProblemType.TOO_MANY_REQUESTS);
              assertThat(refusal.detail()).isEqualTo("A client may make 2 requests in 60 s.");
              assertThat(refusal.retryAfter()).contains(Duration.ofMinutes(1));
            });
  }

  @Test
  void countEachAddressByItself() {
    useUp(null, HERE);

    assertThat(twoAMinute.refusal(null, "127.0.0.2")).isEmpty();
  }

  @Test
  void countAUserWhereverItIs() {
    useUp(JANE, HERE);

    assertThat(twoAMinute.refusal(JANE, "127.0.0.2")).isPresent();
    assertThat(twoAMinute.refusal(JOE, HERE)).isEmpty();
    assertThat(twoAMinute.refusal(null, HERE)).isEmpty();
  }

  @Test
  void countUnknownAddressesTogether() {
    useUp(null, null);

    assertThat(twoAMinute.refusal(null, null)).isPresent();
  }

  @Test
  void takeMoreInTheNextPeriod() {
    var oneInAWhile = new ClientRates(new ClientSettings(new Rate(1, Duration.ofMillis(200))));
    // The second of two, unless a period ends between them.
    await()
        .until(
            () ->
                oneInAWhile.refusal(null, HERE).isPresent()
                    || oneInAWhile.refusal(null, HERE).isPresent());

    await().until(() -> oneInAWhile.refusal(null, HERE).isEmpty());
  }

  @Test
  void letNoMorePasswordsBeCheckedHoweverManyComeAtOnce() throws Exception {
    Callable<Boolean> guess = () -> twoAMinute.refusalToCheck("jane", HERE).isEmpty();
    try (var guessers = Executors.newFixedThreadPool(20)) {
      assertThat(guessers.invokeAll(Collections.nCopies(20, guess)))
          .filteredOn(Future::resultNow)
          .hasSize(2);
    }

    assertThat(twoAMinute.refusalToCheck("joe", HERE)).isEmpty();
    assertThat(twoAMinute.refusalToCheck("jane", "127.0.0.2")).isEmpty();
  }

  @Test
  void refuseNothingWithoutALimit() {
    var unlimited = new ClientRates(new ClientSettings(null));
    for (int request = 0; request < 1_000; request++) {
      assertThat(unlimited.refusal(null, HERE)).isEmpty();
      assertThat(unlimited.refusalToCheck("jane", HERE)).isEmpty();
    }
  }

  private void useUp(Principal user, String address) {
    for (int request = 0; request < 2; request++) {
      assertThat(twoAMinute.refusal(user, address)).isEmpty();
    }
  }
}
