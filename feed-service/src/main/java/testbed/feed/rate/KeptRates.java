package testbed.feed.rate;

import com.github.benmanes.caffeine.cache.AsyncLoadingCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import testbed.feed.source.ExchangeRate;
import testbed.feed.source.SourceRefused;

/** Caches rates as long as they are fresh. Refusals are not cached. */
class KeptRates implements Rates, AutoCloseable {

  private static final String EURO = "eur_usd";

  private final AsyncLoadingCache<String, ExchangeRate> kept;
  private final Rates source;
  private final boolean joined;

  /** A thread for each request to the source, which blocks. */
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  KeptRates(RateSettings settings, Rates source) {
    var cache =
        Caffeine.newBuilder()
            .executor(threads)
            .expireAfterWrite(settings.fresh().plus(settings.stale()));
    if (settings.stale().isPositive()) {
      cache.refreshAfterWrite(settings.fresh());
    }
    this.kept = cache.buildAsync(any -> source.euro());
    this.source = source;
    this.joined = settings.joined();
  }

  @Override
  public ExchangeRate euro() {
    if (joined) {
      return loaded();
    }
    var rate = kept.synchronous().getIfPresent(EURO);
    if (rate != null) {
      return rate;
    }
    var asked = source.euro();
    kept.synchronous().put(EURO, asked);
    return asked;
  }

  private ExchangeRate loaded() {
    try {
      return kept.get(EURO).join();
    } catch (CompletionException failed) {
      throw failed.getCause() instanceof SourceRefused refused ? refused : failed;
    }
  }

  @Override
  public void close() {
    threads.close();
  }
}
