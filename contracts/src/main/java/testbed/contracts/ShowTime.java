package testbed.contracts;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.time.LocalTime;
import java.util.regex.Pattern;

/** A time of day at which a movie is shown, to the minute, written {@code HH:mm}. */
public record ShowTime(LocalTime value) {

  private static final Pattern WRITTEN = Pattern.compile("([01]\\d|2[0-3]):[0-5]\\d");

  /**
   * Reads {@code HH:mm}.
   *
   * @throws IllegalArgumentException if the text is anything else
   */
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public static ShowTime parse(String text) {
    if (!WRITTEN.matcher(text).matches()) {
      throw new IllegalArgumentException("'%s' is not a show time: write HH:mm".formatted(text));
    }
    return new ShowTime(LocalTime.parse(text));
  }

  @JsonValue
  @Override
  public String toString() {
    // A time without seconds prints as HH:mm.
    return value.toString();
  }
}
