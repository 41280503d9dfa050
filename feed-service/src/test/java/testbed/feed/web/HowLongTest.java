package testbed.feed.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import testbed.feed.rate.RateSettings;
import testbed.feed.rate.RateSettings.Keeper;
import testbed.feed.source.ExchangeRate;

class HowLongTest {

  private static final ExchangeRate EURO =
      new ExchangeRate("EUR", "USD", BigDecimal.ONE, Instant.EPOCH);

  @Test
  void tellsCachesThatTheyMayUseAnOldRate() {
    var settings =
        new RateSettings(Keeper.NONE, Duration.ofSeconds(2), Duration.ofSeconds(30), true);

    assertThat(new RateController(() -> EURO, settings).euro().getHeaders().getCacheControl())
        .isEqualTo("max-age=2, stale-if-error=30, stale-while-revalidate=30");
  }
}
