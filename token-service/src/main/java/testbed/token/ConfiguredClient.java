package testbed.token;

import java.util.Set;
import java.util.regex.Pattern;
import testbed.tier.token.AccessTokens;

/** A client that is in the settings. */
record ConfiguredClient(String name, String secret, Set<String> scopes) {

  private static final Set<String> SCOPES = Set.of("basic", "premium", "admin");
  private static final Pattern NAME = Pattern.compile(AccessTokens.NAME);

  ConfiguredClient {
    scopes = Set.copyOf(scopes);
    if (!NAME.matcher(name).matches() || secret.isBlank() || !SCOPES.containsAll(scopes)) {
      throw new IllegalArgumentException(
          "A client is NAME:SECRET:SCOPE, with scopes of basic, premium and admin");
    }
  }

  /**
   * Reads {@code NAME:SECRET:SCOPE}.
   *
   * @throws IllegalArgumentException if the text is anything else
   */
  public static ConfiguredClient valueOf(String text) {
    int first = text.indexOf(':');
    int last = text.lastIndexOf(':');
    if (first == last) {
      throw new IllegalArgumentException("A client is NAME:SECRET:SCOPE");
    }
    return new ConfiguredClient(
        text.substring(0, first).strip(),
        text.substring(first + 1, last),
        Set.of(text.substring(last + 1).strip().split("\\+")));
  }

  /** Without the secret: settings are logged. */
  @Override
  public String toString() {
    return name;
  }
}
