package testbed.support.client;

import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import testbed.support.preset.InvalidSetting;

/** A number of requests per period, written {@code 50/s} or {@code 600/min}. */
public record Rate(int requests, Duration period) {

  private static final Pattern WRITTEN = Pattern.compile("([1-9]\\d{0,5})/(s|min)");

  /**
   * Reads a rate.
   *
   * @throws InvalidSetting if the text is anything else
   */
  public static Rate valueOf(String text) {
    var written = WRITTEN.matcher(text);
    if (!written.matches()) {
      throw new InvalidSetting(
          ClientSettings.VARIABLE, text, List.of("a rate such as 50/s", "or 600/min"));
    }
    return new Rate(
        Integer.parseInt(written.group(1)),
        written.group(2).equals("s") ? Duration.ofSeconds(1) : Duration.ofMinutes(1));
  }
}
