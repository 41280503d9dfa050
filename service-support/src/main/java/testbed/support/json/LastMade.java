package testbed.support.json;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;
import java.util.function.Function;
import tools.jackson.databind.json.JsonMapper;

/**
 * Caches the last result of a conversion by key, as long as its input is the same. Equal lists are
 * read and written once; every answer is still compared with the one before. Safe for use by
 * several threads.
 *
 * @param <K> the key; one result is kept for each
 */
public final class LastMade<K, A, B> {

  private record Made<A, B>(A from, B made) {}

  private final Map<K, Made<A, B>> last = new ConcurrentHashMap<>();
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
    var known = last.get(key);
    if (known != null && same.test(known.from, from)) {
      return known.made;
    }
    var made = make.apply(from);
    last.put(key, new Made<>(from, made));
    return made;
  }
}
