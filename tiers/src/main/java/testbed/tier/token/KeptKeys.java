package testbed.tier.token;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The last keys of a token server, which are asked for again once a second at most. The libraries
 * ask for each token that names a key that they do not have, so whoever makes up such names could
 * have the server asked without end.
 */
public final class KeptKeys {

  private static final long AGAIN_NS = Duration.ofSeconds(1).toNanos();

  private final AtomicLong asked = new AtomicLong();
  private volatile @Nullable String last;

  /** The last ones, unless the server is to be asked now. */
  public Optional<String> unlessDue() {
    if (last == null) {
      return Optional.empty();
    }
    long before = asked.get();
    long now = System.nanoTime();
    // One of several at once asks.
    return now - before >= AGAIN_NS && asked.compareAndSet(before, now) ? Optional.empty() : last();
  }

  /** The last ones, if there are any, for when the server does not answer. */
  public Optional<String> last() {
    return Optional.ofNullable(last);
  }

  public void keep(String keys) {
    asked.set(System.nanoTime());
    last = keys;
  }
}
