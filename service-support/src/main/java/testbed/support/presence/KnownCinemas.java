package testbed.support.presence;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import testbed.contracts.CinemaName;

/**
 * The cinemas a front door has seen: present ones are asked, remembered ones that are gone are
 * named as missing, so that a list never silently lacks a cinema. Bounded by the number of cinemas
 * that ever were, and forgetful after a while. Safe for use by several threads.
 */
public final class KnownCinemas {

  private final Duration presentFor;
  private final Duration rememberedFor;
  private final InstantSource clock;
  private final Map<CinemaName, Instant> lastSeen = new ConcurrentHashMap<>();

  /**
   * @param presentFor how long a cinema counts as present after it was last seen
   * @param rememberedFor how long a cinema that is gone is named as missing
   */
  public KnownCinemas(Duration presentFor, Duration rememberedFor, InstantSource clock) {
    this.presentFor = presentFor;
    this.rememberedFor = rememberedFor;
    this.clock = clock;
  }

  /** Notes that the cinema is there now. */
  public void seen(CinemaName cinema) {
    lastSeen.put(cinema, clock.instant());
  }

  /** The cinemas seen recently enough to be asked, by name. */
  public TreeSet<CinemaName> present() {
    var since = clock.instant().minus(presentFor);
    return select(seen -> !seen.isBefore(since));
  }

  /** The cinemas that are remembered but gone, by name. */
  public TreeSet<CinemaName> missing() {
    var since = clock.instant().minus(presentFor);
    return select(seen -> seen.isBefore(since));
  }

  /** Whether the cinema is present or remembered. */
  public boolean knows(CinemaName cinema) {
    forget();
    return lastSeen.containsKey(cinema);
  }

  private TreeSet<CinemaName> select(Predicate<Instant> condition) {
    forget();
    return lastSeen.entrySet().stream()
        .filter(entry -> condition.test(entry.getValue()))
        .map(Map.Entry::getKey)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private void forget() {
    var horizon = clock.instant().minus(rememberedFor);
    lastSeen.values().removeIf(seen -> seen.isBefore(horizon));
  }
}
