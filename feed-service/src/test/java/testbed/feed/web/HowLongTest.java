package testbed.feed.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.http.HttpHeaders;
import testbed.feed.rate.RateSettings;
import testbed.feed.rate.RateSettings.Keeper;
import testbed.feed.source.ExchangeRate;

class HowLongTest {

  private static final ExchangeRate EURO =
      new ExchangeRate("EUR", "USD", BigDecimal.ONE, Instant.EPOCH);

  @Test
  void tellsCachesThatTheyMayUseAnOldRate() {
    assertThat(headersAfter(Duration.ZERO).getCacheControl())
        .isEqualTo("max-age=2, stale-if-error=30, stale-while-revalidate=30");
  }

  @ParameterizedTest
  @CsvSource({"0,", "999,", "1000, 1", "31999, 31"})
  void tellsTheAgeOfARateThatWasKept(long millis, @Nullable String seconds) {
    assertThat(headersAfter(Duration.ofMillis(millis)).getFirst(HttpHeaders.AGE))
        .isEqualTo(seconds);
  }

  private static HttpHeaders headersAfter(Duration age) {
    var settings =
        new RateSettings(Keeper.SERVICE, Duration.ofSeconds(2), Duration.ofSeconds(30), true);
    return new RateController(() -> EURO, settings, () -> Instant.EPOCH.plus(age))
        .euro()
        .getHeaders();
  }
}
