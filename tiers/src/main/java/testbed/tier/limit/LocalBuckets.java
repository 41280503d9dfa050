package testbed.tier.limit;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.TimeMeter;

/** Buckets in memory. Bounded: of more clients in an hour, some begin anew. */
final class LocalBuckets implements Buckets {

  static final int CLIENTS = 10_000;

  private final Cache<String, Bucket> clients;
  private final TimeMeter clock;

  LocalBuckets(TimeMeter clock) {
    this.clock = clock;
    this.clients =
        Caffeine.newBuilder()
            .maximumSize(CLIENTS)
            .expireAfterWrite(HOUR)
            .ticker(clock::currentTimeNanos)
            .build();
  }

  @Override
  public Bucket of(String client) {
    return clients.get(client, name -> full());
  }

  private Bucket full() {
    var bucket = Bucket.builder().withCustomTimePrecision(clock);
    for (var bandwidth : CONFIGURATION.getBandwidths()) {
      bucket.addLimit(bandwidth);
    }
    return bucket.build();
  }

  @Override
  public boolean areShared() {
    return false;
  }

  /** How many clients have one. */
  long size() {
    clients.cleanUp();
    return clients.estimatedSize();
  }

  @Override
  public void close() {
    clients.invalidateAll();
  }
}
