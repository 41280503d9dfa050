package testbed.support.access;

import org.springframework.security.core.AuthenticationException;
import testbed.support.client.TooManyRequests;

/** The client has sent too many passwords of an account. */
public final class GuessedTooOften extends AuthenticationException {

  private final transient TooManyRequests refusal;

  GuessedTooOften(TooManyRequests refusal) {
    super(refusal.detail());
    this.refusal = refusal;
  }

  public TooManyRequests refusal() {
    return refusal;
  }
}
