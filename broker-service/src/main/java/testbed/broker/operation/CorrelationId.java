package testbed.broker.operation;

import java.util.UUID;
import java.util.regex.Pattern;

/** Under which an operation's answers are collected and fetched. */
public record CorrelationId(UUID value) {

  private static final Pattern WRITTEN =
      Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

  /**
   * Reads a UUID in its full form; {@link UUID#fromString} would also take {@code 1-1-1-1-1}.
   *
   * @throws IllegalArgumentException if the text is anything else
   */
  public static CorrelationId valueOf(String text) {
    if (!isWritten(text)) {
      throw new IllegalArgumentException("'%s' is not a UUID".formatted(text));
    }
    return new CorrelationId(UUID.fromString(text));
  }

  /** Whether {@link #valueOf} takes the text. */
  public static boolean isWritten(String text) {
    return WRITTEN.matcher(text).matches();
  }

  @Override
  public String toString() {
    return value.toString();
  }
}
