package testbed.tier.token;

import java.time.Duration;
import org.springframework.security.core.AuthenticationException;
import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** A token cannot be checked, as its server does not tell its keys. */
public final class TokenServerAway extends AuthenticationException {

  private static final String DETAIL = "The token server does not answer.";

  public TokenServerAway(Throwable cause) {
    super(DETAIL, cause);
  }

  /** The answer to the client. */
  public ProblemException refusal() {
    return new Unavailable();
  }

  private static final class Unavailable extends ProblemException {

    Unavailable() {
      super(ProblemType.UNAVAILABLE, DETAIL, Duration.ofSeconds(1));
    }
  }
}
