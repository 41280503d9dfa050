package testbed.contracts;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/** A movie's id inside one cinema's catalogue, for example {@code CNW001}. */
public record MovieId(@JsonValue String value) {

  private static final int MAX_LENGTH = 40;

  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public MovieId {
    if (value.isBlank() || value.length() > MAX_LENGTH) {
      throw new IllegalArgumentException("a movie id has 1 to %d characters".formatted(MAX_LENGTH));
    }
  }

  @Override
  public String toString() {
    return value;
  }
}
