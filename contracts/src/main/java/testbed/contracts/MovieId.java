package testbed.contracts;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.regex.Pattern;

/** A movie's id inside one cinema's catalogue, for example {@code CNW001}. */
public record MovieId(@JsonValue String value) {

  private static final int MAX_LENGTH = 40;
  private static final Pattern SHOWN = Pattern.compile(Shown.WRITTEN);
  private static final Pattern WRITTEN = Pattern.compile(PlainText.WRITTEN);

  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public MovieId {
    if (!SHOWN.matcher(value).matches() || value.length() > MAX_LENGTH) {
      throw new IllegalArgumentException("a movie id has 1 to %d characters".formatted(MAX_LENGTH));
    }
    if (!WRITTEN.matcher(value).matches()) {
      throw new IllegalArgumentException("a movie id has no control characters");
    }
  }

  @Override
  public String toString() {
    return value;
  }
}
