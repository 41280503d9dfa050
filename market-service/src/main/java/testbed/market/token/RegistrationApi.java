package testbed.market.token;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.service.annotation.DeleteExchange;
import org.springframework.web.service.annotation.PutExchange;

/** Where {@code token-service} takes changes of clients. */
interface RegistrationApi {

  String PATH = "/internal/clients/{name}";

  @PutExchange(PATH)
  void put(@PathVariable String name, @RequestBody Registration client);

  @DeleteExchange(PATH)
  void remove(@PathVariable String name, @RequestParam long version);

  /**
   * A client, as it is from this version on.
   *
   * @param secret of a new client; null if it stays
   */
  record Registration(long version, @Nullable String secret, Set<String> scopes, boolean enabled) {

    /** Without the secret, for logs. */
    @Override
    public String toString() {
      return "version " + version;
    }
  }
}
