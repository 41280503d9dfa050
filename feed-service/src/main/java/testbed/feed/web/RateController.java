package testbed.feed.web;

import java.util.List;
import org.springframework.http.CacheControl;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import testbed.feed.rate.RateSettings;
import testbed.feed.rate.Rates;
import testbed.feed.source.ExchangeRate;

/** Serves rates, with the cache headers of RFC 9111 and RFC 5861. */
@RestController
class RateController {

  private final Rates rates;
  private final CacheControl howLong;

  RateController(Rates rates, RateSettings settings) {
    this.rates = rates;
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
    return ResponseEntity.ok().cacheControl(howLong).body(rates.euro());
  }
}
