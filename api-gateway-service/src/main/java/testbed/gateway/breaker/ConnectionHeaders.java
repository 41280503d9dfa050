package testbed.gateway.breaker;

import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;

/** Headers that are about one connection and not about what goes over it (RFC 9110, 7.6.1). */
final class ConnectionHeaders {

  private static final Set<String> NAMES = names();

  private ConnectionHeaders() {}

  static boolean contains(String name) {
    return NAMES.contains(name);
  }

  private static Set<String> names() {
    var names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    names.addAll(
        Arrays.asList(
            "Connection",
            "Keep-Alive",
            "Proxy-Authenticate",
            "Proxy-Authorization",
            "Proxy-Connection",
            "TE",
            "Trailer",
            "Transfer-Encoding",
            "Upgrade"));
    return names;
  }
}
