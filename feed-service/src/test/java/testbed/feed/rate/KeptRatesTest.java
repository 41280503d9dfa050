package testbed.feed.rate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import testbed.feed.rate.RateSettings.Keeper;
import testbed.feed.source.ExchangeRate;

class KeptRatesTest {

  private static final int CLIENTS = 20;
  private static final Duration LONG = Duration.ofHours(1);
  private static final Duration SHORT = Duration.ofMillis(50);

  private final AtomicInteger asked = new AtomicInteger();
  private KeptRates rates;

  @AfterEach
  void close() {
    rates.close();
  }

  @Test
  void asksOnceWhileARateIsFresh() {
    rates = kept(LONG, Duration.ZERO, true, this::answer);

    assertThat(rates.euro()).isEqualTo(rates.euro());

    assertThat(asked).hasValue(1);
  }

  @Test
  void asksAgainWhenItIsNotFreshAnyMore() throws InterruptedException {
    rates = kept(SHORT, Duration.ZERO, true, this::answer);
    var first = rates.euro();

    TimeUnit.MILLISECONDS.sleep(60);

    assertThat(rates.euro()).isNotEqualTo(first);
    assertThat(asked).hasValue(2);
  }

  @Test
  void asksOnceForAllWhoComeMeanwhile() throws Exception {
    var begun = new CountDownLatch(1);
    rates = kept(LONG, Duration.ZERO, true, () -> answerAfter(begun));

    assertThat(askedAtOnce(begun, 0)).hasSize(1);
    assertThat(asked).hasValue(1);
  }

  @Test
  void asksForEachWhoComesMeanwhileIfTheyAreNotJoined() throws Exception {
    var begun = new CountDownLatch(1);
    rates = kept(LONG, Duration.ZERO, false, () -> answerAfter(begun));

    assertThat(askedAtOnce(begun, CLIENTS)).hasSize(CLIENTS);
    rates.euro();
    assertThat(asked).hasValue(CLIENTS);
  }

  @Test
  void keepsNoRefusal() {
    rates =
        kept(
            LONG,
            Duration.ZERO,
            true,
            () -> {
              var rate = answer();
              if (asked.get() == 1) {
                throw new IllegalStateException("refused");
              }
              return rate;
            });

    assertThatThrownBy(rates::euro).hasRootCauseMessage("refused");
    // A refusal may be told before the cache has dropped it.
    await()
        .ignoreExceptions()
        .untilAsserted(() -> assertThat(rates.euro().rate()).isEqualTo(BigDecimal.TWO));
  }

  @Test
  void tellsAnOldRateWhileTheSourceRefuses() throws InterruptedException {
    rates =
        kept(
            SHORT,
            LONG,
            true,
            () -> {
              var rate = answer();
              if (asked.get() > 1) {
                throw new IllegalStateException("refused");
              }
              return rate;
            });
    var first = rates.euro();

    TimeUnit.MILLISECONDS.sleep(60);

    assertThat(rates.euro()).isEqualTo(first);
    while (asked.get() < 2) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
    assertThat(rates.euro()).isEqualTo(first);
  }

  private static KeptRates kept(Duration fresh, Duration stale, boolean joined, Rates source) {
    return new KeptRates(new RateSettings(Keeper.SERVICE, fresh, stale, joined), source);
  }

  /** Each answer is another one. */
  private ExchangeRate answer() {
    var number = asked.incrementAndGet();
    return new ExchangeRate("EUR", "USD", BigDecimal.valueOf(number), Instant.EPOCH);
  }

  private ExchangeRate answerAfter(CountDownLatch begun) {
    var rate = answer();
    try {
      begun.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return rate;
  }

  /** Lets the source answer once all clients have come, and so many requests have reached it. */
  private Set<ExchangeRate> askedAtOnce(CountDownLatch begun, int requests) throws Exception {
    var here = new CountDownLatch(CLIENTS);
    Callable<ExchangeRate> client =
        () -> {
          here.countDown();
          return rates.euro();
        };
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var answers = IntStream.range(0, CLIENTS).mapToObj(any -> threads.submit(client)).toList();
      here.await();
      while (asked.get() < Math.max(requests, 1)) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
      begun.countDown();
      var received = new HashSet<ExchangeRate>();
      for (var answer : answers) {
        received.add(answer.get());
      }
      return received;
    }
  }
}
