package testbed.gateway.client;

import org.jspecify.annotations.Nullable;
import org.springframework.web.server.ServerWebExchange;

/** Where a client is. */
public final class ClientAddress {

  private ClientAddress() {}

  /** The address of a request's client; null if it is not known. */
  public static @Nullable String of(ServerWebExchange exchange) {
    var client = exchange.getRequest().getRemoteAddress();
    return client == null || client.getAddress() == null
        ? null
        : client.getAddress().getHostAddress();
  }
}
