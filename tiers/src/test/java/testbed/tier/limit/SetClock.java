package testbed.tier.limit;

import io.github.bucket4j.TimeMeter;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/** A clock that a test moves. */
final class SetClock implements TimeMeter {

  private volatile long millis = Instant.parse("2026-01-01T00:00:00Z").toEpochMilli();

  void pass(Duration time) {
    millis += time.toMillis();
  }

  @Override
  public long currentTimeNanos() {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }

  @Override
  public boolean isWallClockBased() {
    return true;
  }
}
