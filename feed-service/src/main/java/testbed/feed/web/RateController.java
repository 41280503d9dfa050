package testbed.feed.web;

import java.util.List;
import org.springframework.http.CacheControl;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import testbed.feed.rate.RateSettings;
import testbed.feed.rate.Rates;
import testbed.feed.source.ExchangeRate;

/** Tells rates, and caches on the way how long they may keep them (RFC 9111, RFC 5861). */
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

  /** The pairs of currencies that it knows. */
  @GetMapping("/api/rates")
  List<String> pairs() {
    return List.of("eur_usd");
  }

  @GetMapping("/api/rates/eur_usd")
  ResponseEntity<ExchangeRate> euro() {
    return ResponseEntity.ok().cacheControl(howLong).body(rates.euro());
  }
}
