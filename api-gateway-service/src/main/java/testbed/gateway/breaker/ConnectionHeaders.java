package testbed.gateway.breaker;

import java.util.Locale;
import java.util.Set;

/** Headers that are about one connection and not about what goes over it (RFC 9110, 7.6.1). */
final class ConnectionHeaders {

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

  private ConnectionHeaders() {}

  static boolean contains(String name) {
    return NAMES.contains(name.toLowerCase(Locale.ROOT));
  }
}
