package testbed.cinemas;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import testbed.contracts.CinemaName;

/**
 * The cinemas a front door has seen: present ones are asked, remembered ones that are gone are
 * named as missing, so that a list never lacks a cinema without saying so. Entries expire. Safe for
 * use by several threads.
 */
public final class KnownCinemas {

  /** The most cinemas: their names fit into a header of a response. */
  public static final int MOST = 100;

  private static final Logger log = LoggerFactory.getLogger(KnownCinemas.class);

  private final Duration presentFor;
  private final Duration rememberedFor;
  private final InstantSource clock;
  private final Map<CinemaName, Instant> lastSeen = new ConcurrentHashMap<>();

  /**
   * @param presentFor how long a cinema counts as present after it was last seen
   * @param rememberedFor how long a cinema that is gone is named as missing
   * @param clock one that nobody sets, such as {@link SteadyClock}
   */
  public KnownCinemas(Duration presentFor, Duration rememberedFor, InstantSource clock) {
    this.presentFor = presentFor;
    this.rememberedFor = rememberedFor;
    this.clock = clock;
  }

  /** Notes that the cinema is present. One more than {@value #MOST} stays unknown. */
  public void seen(CinemaName cinema) {
    var now = clock.instant();
    if (lastSeen.replace(cinema, now) != null) {
      return;
    }
    forget(now);
    if (lastSeen.size() < MOST) {
      lastSeen.put(cinema, now);
    } else {
      log.warn("Cinema {} stays unknown: {} others are known", cinema.value(), MOST);
    }
  }

  /**
   * Notes that the cinema is absent, until it is seen again.
   *
   * @param since when it was absent; it may have been seen after that
   */
  public void gone(CinemaName cinema, Instant since) {
    var noLongerPresent = clock.instant().minus(presentFor).minusNanos(1);
    lastSeen.computeIfPresent(
        cinema,
        (name, seen) ->
            seen.isAfter(since) || seen.isBefore(noLongerPresent) ? seen : noLongerPresent);
  }

  /** The time by this memory's clock. */
  public Instant now() {
    return clock.instant();
  }

  /** The cinemas seen recently enough to be asked, and those that are remembered but gone. */
  public Presence presence() {
    var now = clock.instant();
    forget(now);
    var since = now.minus(presentFor);
    var present = new TreeSet<CinemaName>();
    var missing = new TreeSet<CinemaName>();
    lastSeen.forEach((cinema, seen) -> (seen.isBefore(since) ? missing : present).add(cinema));
    return new Presence(present, missing);
  }

  /** Whether the cinema is present or remembered. */
  public boolean knows(CinemaName cinema) {
    forget(clock.instant());
    return lastSeen.containsKey(cinema);
  }

  private void forget(Instant now) {
    var horizon = now.minus(rememberedFor);
    lastSeen.values().removeIf(seen -> seen.isBefore(horizon));
  }
}
