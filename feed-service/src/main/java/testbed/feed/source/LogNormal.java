package testbed.feed.source;

import java.time.Duration;
import java.util.random.RandomGenerator;

/** Times with a log-normal distribution: most are short, a few are long. */
class LogNormal {

  private final double location;
  private final double scale;
  private final RandomGenerator random;

  /**
   * @param mean above 0
   * @param deviation the standard deviation
   * @param random safe for use by as many threads as this is
   */
  LogNormal(Duration mean, Duration deviation, RandomGenerator random) {
    var variation = (double) deviation.toNanos() / mean.toNanos();
    var variance = Math.log1p(variation * variation);
    this.location = Math.log(mean.toNanos()) - variance / 2;
    this.scale = Math.sqrt(variance);
    this.random = random;
  }

  Duration next() {
    return Duration.ofNanos((long) Math.exp(location + scale * random.nextGaussian()));
  }
}
