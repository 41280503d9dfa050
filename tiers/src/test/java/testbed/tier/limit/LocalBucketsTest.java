package testbed.tier.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import testbed.tier.token.Tier;

class LocalBucketsTest extends TierLimitsContract {

  private LocalBuckets buckets;

  @Override
  Buckets buckets() {
    buckets = new LocalBuckets(clock);
    return buckets;
  }

  @Override
  long stored() {
    return buckets.size();
  }

  @Test
  void areEachProcesssOwn() {
    try (var other = new TierLimits(new LocalBuckets(clock))) {
      assertThat(passed("jane", Tier.BASIC, 60) + passed(other, "jane", Tier.BASIC, 60))
          .isEqualTo(100);
    }
  }

  @Test
  void areBounded() {
    IntStream.range(0, 2 * LocalBuckets.CLIENTS)
        .forEach(number -> passed("client" + number, Tier.BASIC, 1));

    assertThat(stored()).isEqualTo(LocalBuckets.CLIENTS);
  }
}
