package testbed.tier.limit;

import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.BucketConfiguration;
import java.time.Duration;
import testbed.tier.token.Tier;

/**
 * The buckets of clients. A client has one, whatever its tier: a request takes the more of it, the
 * fewer its tier may make. So a client with tokens of two tiers does not have the sum of both.
 *
 * <p>A bucket lives for an hour from its client's first request. The next request begins another.
 */
interface Buckets extends AutoCloseable {

  Duration HOUR = Duration.ofHours(1);

  /** What a bucket holds: divisible by what each tier may make. */
  int CAPACITY = 100;

  BucketConfiguration CONFIGURATION =
      BucketConfiguration.builder()
          .addLimit(Bandwidth.builder().capacity(CAPACITY).refillIntervally(CAPACITY, HOUR).build())
          .build();

  /** What a request takes. */
  static int cost(Tier tier) {
    return CAPACITY / tier.requests();
  }

  /** The bucket of a client. */
  Bucket of(String client);

  /** Whether they are in a database, which a request waits for. */
  boolean areShared();

  @Override
  void close();
}
