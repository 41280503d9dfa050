package testbed.support.json;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;
import java.util.function.Function;
import tools.jackson.databind.json.JsonMapper;

/**
 * Makes one thing of another, and not again while the other is the same: what is listed again and
 * again is read and written once. Every answer is still compared with the one before. Safe for use
 * by several threads.
 *
 * @param <K> of what; as many are remembered as there are keys
 */
public final class LastMade<K, A, B> {

  private record Made<A, B>(A from, B made) {}

  private final Map<K, Made<A, B>> last = new ConcurrentHashMap<>();
  private final BiPredicate<A, A> same;
  private final Function<A, B> make;

  /**
   * @param same whether the same is made of both
   */
  public LastMade(BiPredicate<A, A> same, Function<A, B> make) {
    this.same = same;
    this.make = make;
  }

  /** Reads JSON. Equal bytes are the same object. */
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
