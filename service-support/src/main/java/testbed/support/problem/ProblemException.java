package testbed.support.problem;

import java.time.Duration;
import java.util.Optional;
import testbed.contracts.ProblemType;

/**
 * Ends a request with a problem, which the edge reports under its type. Subclasses are named after
 * the fact. The message is for the client and has no internals.
 */
public abstract class ProblemException extends RuntimeException {

  private final ProblemType type;

  protected ProblemException(ProblemType type, String detail) {
    // No stack trace: these are expected answers, also under load.
    super(detail, null, false, false);
    this.type = type;
  }

  public ProblemType type() {
    return type;
  }

  /** The text for the client. */
  public String detail() {
    return String.valueOf(getMessage());
  }

  /** When the client may retry; empty if unknown. */
  public Optional<Duration> retryAfter() {
    return Optional.empty();
  }
}
