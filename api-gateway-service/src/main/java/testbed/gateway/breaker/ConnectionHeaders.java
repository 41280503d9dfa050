package testbed.gateway.breaker;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Headers that are about one connection and not about what goes over it (RFC 9110, 7.6.1). */
final class ConnectionHeaders {

  /** The header that nominates others. */
  static final String CONNECTION = "Connection";

  private static final Set<String> NAMES =
      Set.of(
          "connection",
          "keep-alive",
          "proxy-authenticate",
          "proxy-authorization",
          "proxy-connection",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade");

  /** Options that nominate no header. */
  private static final Set<String> PLAIN = Set.of("keep-alive", "close");

  private ConnectionHeaders() {}

  /**
   * The headers that {@code Connection} nominates, in lower case.
   *
   * @param options the values of that header; none without it
   */
  static Set<String> nominated(@Nullable List<String> options) {
    if (options == null
        || options.isEmpty()
        || (options.size() == 1 && PLAIN.contains(options.getFirst()))) {
      return Set.of();
    }
    return options.stream()
        .flatMap(line -> Arrays.stream(line.split(",")))
        .map(option -> option.strip().toLowerCase(Locale.ROOT))
        .collect(Collectors.toSet());
  }

  /**
   * Whether a header ends at this connection.
   *
   * @param name in lower case
   * @param nominated by the message
   */
  static boolean contains(String name, Set<String> nominated) {
    return NAMES.contains(name) || nominated.contains(name);
  }
}
