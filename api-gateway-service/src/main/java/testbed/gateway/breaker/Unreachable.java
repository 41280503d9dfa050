package testbed.gateway.breaker;

import java.net.URI;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.gateway.support.ServerWebExchangeUtils;
import org.springframework.web.server.ServerWebExchange;

/**
 * The instances that a request has tried in vain: it could make no connection, or lost it before
 * the answer.
 */
public final class Unreachable {

  private static final String ATTRIBUTE = Unreachable.class.getName();

  private Unreachable() {}

  /** Returns the instances without those that the request could not reach. */
  public static List<URI> without(ServerWebExchange exchange, List<URI> instances) {
    var unreachable = of(exchange);
    return unreachable == null
        ? instances
        : instances.stream().filter(one -> !unreachable.contains(one.getAuthority())).toList();
  }

  /** Remembers the instance that the request was on its way to. */
  static void remember(ServerWebExchange exchange) {
    URI address = exchange.getRequiredAttribute(ServerWebExchangeUtils.GATEWAY_REQUEST_URL_ATTR);
    var unreachable = of(exchange);
    if (unreachable == null) {
      unreachable = new HashSet<>();
      exchange.getAttributes().put(ATTRIBUTE, unreachable);
    }
    unreachable.add(address.getAuthority());
  }

  private static @Nullable Set<String> of(ServerWebExchange exchange) {
    return exchange.getAttribute(ATTRIBUTE);
  }
}
