package testbed.support.web;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import testbed.contracts.IdempotencyKey;

/**
 * The header of a key: a string in quotes, as the draft says (RFC 9651), or the key alone, as most
 * clients write it.
 */
public final class IdempotencyHeader {

  public static final String NAME = "Idempotency-Key";

  private static final Pattern QUOTED = Pattern.compile("\"((?:[^\"\\\\]|\\\\[\"\\\\])*+)\"");
  private static final Pattern ALONE = Pattern.compile("[^\"\\\\,;]++");
  private static final Pattern ESCAPED = Pattern.compile("\\\\(.)");

  private IdempotencyHeader() {}

  /** The key in the header's values; empty if they are not one key. */
  public static Optional<IdempotencyKey> read(List<String> values) {
    return values.size() == 1 ? read(values.getFirst()) : Optional.empty();
  }

  private static Optional<IdempotencyKey> read(String value) {
    var quoted = QUOTED.matcher(value);
    if (quoted.matches()) {
      return IdempotencyKey.parse(ESCAPED.matcher(quoted.group(1)).replaceAll("$1"));
    }
    return ALONE.matcher(value).matches() ? IdempotencyKey.parse(value) : Optional.empty();
  }
}
