package testbed.market.clients;

import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import testbed.support.preset.InvalidSetting;

/**
 * How often something is done and what it costs, written {@code RATE:MS}: RATE times a second, each
 * with MS milliseconds of CPU.
 *
 * @param interval from one beginning to the next; zero if it is off
 * @param cpu CPU time of each
 */
public record Expense(Duration interval, Duration cpu) {

  static final Expense OFF = new Expense(Duration.ZERO, Duration.ZERO);

  private static final Pattern WRITTEN =
      Pattern.compile("(?!0+(?:\\.0+)?:)(\\d{1,2}(?:\\.\\d{1,3})?):([1-9]\\d{0,3})");

  private static final double NANOS = 1e9;

  /**
   * Reads an expense.
   *
   * @throws InvalidSetting if the text is anything else
   */
  public static Expense valueOf(String text) {
    if (text.equals("off")) {
      return OFF;
    }
    var written = WRITTEN.matcher(text);
    if (!written.matches()) {
      throw new InvalidSetting(
          "MARKET_NEIGHBOUR",
          text,
          List.of("off", "RATE:MS such as 0.5:400 (above 0 and below 100 a second, 1 to 9999 ms)"));
    }
    return new Expense(
        Duration.ofNanos(Math.round(NANOS / Double.parseDouble(written.group(1)))),
        Duration.ofMillis(Long.parseLong(written.group(2))));
  }
}
