package testbed.feed.web;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import testbed.feed.rate.RateSettings;
import testbed.feed.rate.Rates;
import testbed.feed.source.ExchangeRate;

/**
 * Serves rates, with the cache headers of RFC 9111 and RFC 5861. They tell the age of a rate that
 * was kept here, so that a cache before this service does not keep it for as long again.
 */
@RestController
class RateController {

  private final Rates rates;
  private final CacheControl howLong;
  private final InstantSource clock;

  RateController(Rates rates, RateSettings settings, InstantSource clock) {
    this.rates = rates;
    this.clock = clock;
    var fresh = CacheControl.maxAge(settings.fresh());
    this.howLong =
        settings.stale().isZero()
            ? fresh
            : fresh.staleWhileRevalidate(settings.stale()).staleIfError(settings.stale());
  }

  /** The known pairs of currencies. */
  @GetMapping("/api/rates")
  List<String> pairs() {
    return List.of("eur_usd");
  }

  @GetMapping("/api/rates/eur_usd")
  ResponseEntity<ExchangeRate> euro() {
    var rate = rates.euro();
    var answer = ResponseEntity.ok().cacheControl(howLong);
    long age = Duration.between(rate.asOf(), clock.instant()).toSeconds();
    if (age > 0) {
      answer.header(HttpHeaders.AGE, Long.toString(age));
    }
    return answer.body(rate);
  }
}
