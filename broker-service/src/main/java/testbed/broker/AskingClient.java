package testbed.broker;

import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;
import testbed.broker.operation.Client;

/** Knows clients by their accounts. */
final class AskingClient {

  private AskingClient() {}

  /** The client whose request is handled on this thread. */
  static Client here() {
    var account = SecurityContextHolder.getContext().getAuthentication();
    return account == null || account instanceof AnonymousAuthenticationToken
        ? Client.ANONYMOUS
        : new Client(account.getName());
  }
}
