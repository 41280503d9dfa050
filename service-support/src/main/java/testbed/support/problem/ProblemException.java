package testbed.support.problem;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import testbed.contracts.ProblemType;

/**
 * Ends a request with a problem, which the edge reports under its type. Subclasses are named after
 * the fact. The message is for the client and has no internals.
 */
public abstract class ProblemException extends RuntimeException {

  private final ProblemType type;
  private final @Nullable Duration retryAfter;

  protected ProblemException(ProblemType type, String detail) {
    this(type, detail, null);
  }

  /**
   * @param retryAfter when the client may retry, if that is known
   */
  protected ProblemException(ProblemType type, String detail, @Nullable Duration retryAfter) {
    // No stack trace: these are expected answers, also under load.
    super(detail, null, false, false);
    this.type = type;
    this.retryAfter = retryAfter;
  }

  public ProblemType type() {
    return type;
  }

  /** The text for the client. */
  public String detail() {
    return String.valueOf(getMessage());
  }

  /** When the client may retry; empty if unknown. */
  public final Optional<Duration> retryAfter() {
    return Optional.ofNullable(retryAfter);
  }
}
