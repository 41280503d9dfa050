package testbed.market.beans;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Lists in memory, until something changes or they expire. Safe for use by several threads. */
final class KeptLists {

  /** Changes by another instance are seen after this time. */
  private static final Duration KEPT = Duration.ofMinutes(1);

  private static final int MOST_KEPT = 10_000;

  private final Cache<Question, List<?>> lists =
      Caffeine.newBuilder().maximumSize(MOST_KEPT).expireAfterWrite(KEPT).build();

  /**
   * A part of each question. The cache cannot forget a list that is being read at that moment. It
   * may be from before the change, so no later question is for it.
   */
  private final AtomicLong changes = new AtomicLong();

  /** The list that meets the conditions; it is read if it is not kept. */
  @SuppressWarnings("unchecked") // A question is always of the same list.
  <T> List<T> get(
      String list, @Nullable String name, @Nullable String country, Supplier<List<T>> read) {
    var question = new Question(list, name, country, changes.get());
    return (List<T>) lists.get(question, asked -> read.get());
  }

  /** Forgets all of them. Call it after a change is stored. */
  void forget() {
    changes.incrementAndGet();
    lists.invalidateAll();
  }

  /** A list, and its conditions. */
  private record Question(
      String list, @Nullable String name, @Nullable String country, long changes) {}
}
