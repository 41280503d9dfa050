package testbed.support.json;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.Arrays;
import java.util.function.BiPredicate;
import java.util.function.Function;
import tools.jackson.databind.json.JsonMapper;

/**
 * Caches the last result of a conversion by key, as long as its input is the same. Equal lists are
 * read and written once; every answer is still compared with the one before. Safe for use by
 * several threads.
 *
 * @param <K> the key; one result is kept for each of the {@value #MOST} that come most often
 */
public final class LastMade<K, A, B> {

  private static final int MOST = 100;

  private record Made<A, B>(A from, B made) {}

  private final Cache<K, Made<A, B>> last =
      Caffeine.newBuilder().maximumSize(MOST).executor(Runnable::run).build();
  private final BiPredicate<A, A> same;
  private final Function<A, B> make;

  /**
   * @param same whether two inputs give the same result
   */
  public LastMade(BiPredicate<A, A> same, Function<A, B> make) {
    this.same = same;
    this.make = make;
  }

  /** Reads JSON. Equal bytes give the same object. */
  public static <K, B> LastMade<K, byte[], B> read(JsonMapper json, Class<B> type) {
    return new LastMade<>(Arrays::equals, bytes -> json.readValue(bytes, type));
  }

  public B of(K key, A from) {
    var previous = last.getIfPresent(key);
    if (previous != null && same.test(previous.from, from)) {
      return previous.made;
    }
    var made = make.apply(from);
    last.put(key, new Made<>(from, made));
    return made;
  }
}
