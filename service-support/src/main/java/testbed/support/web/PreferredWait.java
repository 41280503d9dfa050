package testbed.support.web;

import java.time.Duration;
import java.util.Collection;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity.BodyBuilder;

/** Reads how long a client is prepared to wait from its {@code Prefer} headers (RFC 7240). */
public final class PreferredWait {

  /** The header in which a client says so. */
  public static final String HEADER = "Prefer";

  private static final String APPLIED = "Preference-Applied";

  private static final String QUOTED = "\"(?:[^\"\\\\]|\\\\.)*+\"";

  /** One preference: everything up to a comma that is not inside quotes. */
  private static final Pattern PREFERENCE = Pattern.compile("(?:" + QUOTED + "|[^,\"])++");

  /** A wait in whole seconds; parameters may follow, although none are defined. */
  private static final Pattern WAIT =
      Pattern.compile("wait\\s*+=\\s*+(?:(\\d++)|\"(\\d++)\")\\s*+(?:;.*+)?+");

  /** The usual form of a header; all others are taken apart. */
  private static final Pattern PLAIN_WAIT = Pattern.compile("wait=([1-9]\\d{0,8})");

  private static final Pattern NAME_END = Pattern.compile("[\\s=;]");
  private static final Pattern LEADING_ZEROS = Pattern.compile("^0+(?=\\d)");
  private static final int MOST_DIGITS = 9;

  private PreferredWait() {}

  /** The wait that the client prefers; see {@link #in(Collection, Duration)}. */
  public static Optional<Duration> in(HttpHeaders headers, Duration longest) {
    return in(headers.getOrEmpty(HEADER), longest);
  }

  /** Adds {@code Preference-Applied} if the client named a wait. */
  public static BodyBuilder applied(BodyBuilder response, Optional<Duration> wait) {
    wait.ifPresent(kept -> response.header(APPLIED, "wait=" + kept.toSeconds()));
    return response;
  }

  /**
   * The wait that the client prefers. As the RFC says, the first of several counts, and unknown
   * preferences are ignored.
   *
   * @param headers the values of all {@code Prefer} headers, in their order
   * @param longest what a longer wait is reduced to
   */
  static Optional<Duration> in(Collection<String> headers, Duration longest) {
    if (headers.size() == 1) {
      var plain = PLAIN_WAIT.matcher(headers.iterator().next());
      if (plain.matches()) {
        return Optional.of(within(longest, plain.group(1)));
      }
    }
    return headers.stream()
        .flatMap(header -> PREFERENCE.matcher(header).results())
        .map(preference -> preference.group().strip().toLowerCase(Locale.ROOT))
        .filter(PreferredWait::isNamedWait)
        .findFirst()
        .map(WAIT::matcher)
        .filter(wait -> wait.matches())
        .map(wait -> seconds(wait.group(1) == null ? wait.group(2) : wait.group(1), longest));
  }

  private static boolean isNamedWait(String preference) {
    return NAME_END.split(preference, 2)[0].equals("wait");
  }

  private static Duration seconds(String digits, Duration longest) {
    var significant = LEADING_ZEROS.matcher(digits).replaceFirst("");
    return significant.length() > MOST_DIGITS ? longest : within(longest, significant);
  }

  private static Duration within(Duration longest, String seconds) {
    var wait = Duration.ofSeconds(Long.parseLong(seconds));
    return wait.compareTo(longest) > 0 ? longest : wait;
  }
}
