package testbed.feed.source;

import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Random;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * A stand-in for a public service: slow, and it refuses some requests. Safe for use by several
 * threads. Measures each request ({@code feed.source}).
 */
@Component
public class Source {

  private final SourceSettings settings;
  private final InstantSource clock;
  private final MeterRegistry meters;
  private final MeterProvider<Timer> requests;
  private final Random random;
  private final LogNormal times;
  private final @Nullable RateLimiter limit;

  Source(SourceSettings settings, MeterRegistry meters, InstantSource clock) {
    this.settings = settings;
    this.clock = clock;
    this.meters = meters;
    this.requests =
        Timer.builder("feed.source").description("A request to the source").withRegistry(meters);
    this.random = new Random(settings.seed());
    this.times = new LogNormal(settings.mean(), settings.deviation(), random);
    this.limit = settings.perSecond() == 0 ? null : limit(settings.perSecond());
  }

  /**
   * The US dollars of one euro. Blocks for the time that the source takes.
   *
   * @throws SourceRefused if the source refuses the request
   */
  public ExchangeRate euro() {
    var sample = Timer.start(meters);
    var outcome = "refused";
    try {
      if (limit != null && !limit.acquirePermission()) {
        throw new SourceRefused();
      }
      await(times.next());
      if (random.nextDouble() < settings.refused()) {
        throw new SourceRefused();
      }
      outcome = "answered";
      var now = clock.instant();
      return new ExchangeRate("EUR", "USD", rate(now.toEpochMilli()), now);
    } finally {
      sample.stop(requests.withTag("outcome", outcome));
    }
  }

  private BigDecimal rate(long nowMillis) {
    var period = nowMillis / settings.changesEvery().toMillis();
    var share = new SplittableRandom(settings.seed() + period).nextDouble();
    return BigDecimal.valueOf(1.05 + 0.1 * share).setScale(4, RoundingMode.HALF_UP);
  }

  private static void await(Duration time) {
    try {
      Thread.sleep(time);
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
      throw new SourceRefused();
    }
  }

  private static RateLimiter limit(int perSecond) {
    return RateLimiter.of(
        "source",
        RateLimiterConfig.custom()
            .limitForPeriod(perSecond)
            .limitRefreshPeriod(Duration.ofSeconds(1))
            .timeoutDuration(Duration.ZERO)
            .build());
  }
}
