package testbed.support.json;

import java.time.DateTimeException;
import java.time.LocalDate;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.deser.std.StdScalarDeserializer;

/**
 * Reads a day written {@code yyyy-MM-dd} and nothing else. The library's own reader also accepts
 * lists of numbers, and timestamps, whose time it drops.
 */
class IsoDate extends StdScalarDeserializer<LocalDate> {

  private static final int LENGTH = "yyyy-MM-dd".length();

  IsoDate() {
    super(LocalDate.class);
  }

  @Override
  public LocalDate deserialize(JsonParser parser, DeserializationContext context) {
    if (!parser.hasToken(JsonToken.VALUE_STRING)) {
      return (LocalDate) context.handleUnexpectedToken(LocalDate.class, parser);
    }
    var text = parser.getString();
    try {
      if (text.length() == LENGTH) {
        return LocalDate.parse(text);
      }
    } catch (DateTimeException noDay) {
      // Reported below, like a text of another length.
    }
    return (LocalDate) context.handleWeirdStringValue(LocalDate.class, text, "not yyyy-MM-dd");
  }
}
