package testbed.support.problem;

import java.time.Duration;
import java.util.Optional;
import testbed.contracts.ProblemType;

/**
 * A fact that ends a request, known to the caller: the edge reports it under its type. Subclasses
 * are named after the fact. The message is for the client, so it never carries internals.
 */
public abstract class ProblemException extends RuntimeException {

  private final ProblemType type;

  protected ProblemException(ProblemType type, String detail) {
    // No stack trace: these are answers, not faults, and they occur under load.
    super(detail, null, false, false);
    this.type = type;
  }

  public ProblemType type() {
    return type;
  }

  /** What the client is told. */
  public String detail() {
    return String.valueOf(getMessage());
  }

  /** After which time it is worth trying again; empty if that is not known. */
  public Optional<Duration> retryAfter() {
    return Optional.empty();
  }
}
