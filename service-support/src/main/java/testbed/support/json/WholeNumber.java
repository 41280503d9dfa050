package testbed.support.json;

import java.math.BigDecimal;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.jdk.NumberDeserializers;
import tools.jackson.databind.deser.std.StdScalarDeserializer;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.util.AccessPattern;

/**
 * Reads 2.0 as the integer that it is (JSON Schema 2020-12, 6.1.1), where the library either
 * refuses it or cuts 2.5 down to 2, too.
 */
final class WholeNumber<T> extends StdScalarDeserializer<T> {

  /** No number with more digits is an integer of 64 bits; to write it out could take gigabytes. */
  private static final int MOST_DIGITS = 19;

  private final ValueDeserializer<T> withoutPoint;
  private final Function<BigDecimal, T> exactly;

  private WholeNumber(
      Class<T> type, ValueDeserializer<T> withoutPoint, Function<BigDecimal, T> exactly) {
    super(type);
    this.withoutPoint = withoutPoint;
    this.exactly = exactly;
  }

  static void addTo(SimpleModule module) {
    add(module, Integer.class, BigDecimal::intValueExact);
    add(module, Integer.TYPE, BigDecimal::intValueExact);
    add(module, Long.class, BigDecimal::longValueExact);
    add(module, Long.TYPE, BigDecimal::longValueExact);
  }

  @SuppressWarnings("unchecked")
  private static <T> void add(SimpleModule module, Class<T> type, Function<BigDecimal, T> exactly) {
    var standard = (ValueDeserializer<T>) NumberDeserializers.find(type);
    module.addDeserializer(type, new WholeNumber<>(type, standard, exactly));
  }

  @Override
  public T deserialize(JsonParser parser, DeserializationContext context) {
    if (!parser.hasToken(JsonToken.VALUE_NUMBER_FLOAT)) {
      return withoutPoint.deserialize(parser, context);
    }
    try {
      var number = parser.getDecimalValue();
      if (number.scale() > -MOST_DIGITS) {
        return exactly.apply(number);
      }
    } catch (ArithmeticException noInteger) {
      // Reported below, like one that is too large.
    }
    return notWhole(parser, context);
  }

  @SuppressWarnings("unchecked")
  private T notWhole(JsonParser parser, DeserializationContext context) {
    return (T) context.handleUnexpectedToken(handledType(), parser);
  }

  @Override
  public AccessPattern getNullAccessPattern() {
    return withoutPoint.getNullAccessPattern();
  }

  @Override
  public @Nullable Object getNullValue(DeserializationContext context) {
    return withoutPoint.getNullValue(context);
  }

  @Override
  public @Nullable Object getAbsentValue(DeserializationContext context) {
    return withoutPoint.getAbsentValue(context);
  }
}
