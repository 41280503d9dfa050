package testbed.market.clients;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import org.jspecify.annotations.Nullable;

/**
 * A client that was added now.
 *
 * @param secret for its tokens, which nobody can read again; null where it has none
 */
public record AddedClient(
    @JsonUnwrapped ListedClient client,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String secret) {

  /** Without the secret, for logs. */
  @Override
  public String toString() {
    return client.toString();
  }
}
