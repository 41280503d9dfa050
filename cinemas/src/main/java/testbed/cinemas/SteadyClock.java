package testbed.cinemas;

import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * A clock for ages. It begins with the time of day and then follows {@link System#nanoTime()}:
 * setting the machine's clock makes nothing older or younger.
 */
public final class SteadyClock implements InstantSource {

  private final Instant began;
  private final LongSupplier nanoClock;
  private final long beganNanos;

  public SteadyClock() {
    this(Instant.now(), System::nanoTime);
  }

  /**
   * @param began the time of day now
   */
  SteadyClock(Instant began, LongSupplier nanoClock) {
    this.began = began;
    this.nanoClock = nanoClock;
    this.beganNanos = nanoClock.getAsLong();
  }

  @Override
  public Instant instant() {
    return began.plusNanos(nanoClock.getAsLong() - beganNanos);
  }
}
