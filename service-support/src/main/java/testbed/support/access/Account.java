package testbed.support.access;

/**
 * The credentials of a client.
 *
 * @param name without a colon, by which HTTP Basic separates it from the password
 */
public record Account(String name, String password) {

  /** The default password of the accounts in {@code .env}, which is public. */
  private static final String KNOWN_TO_ALL = "testbed";

  public Account {
    if (name.isBlank() || name.contains(":") || password.isBlank()) {
      throw new IllegalArgumentException("An account is NAME:PASSWORD, both not blank");
    }
  }

  /**
   * Reads {@code NAME:PASSWORD}.
   *
   * @throws IllegalArgumentException if the text is anything else
   */
  public static Account valueOf(String text) {
    int colon = text.indexOf(':');
    if (colon < 0) {
      throw new IllegalArgumentException("An account is NAME:PASSWORD");
    }
    return new Account(text.substring(0, colon).strip(), text.substring(colon + 1).strip());
  }

  boolean isKnownToAll() {
    return password.equals(KNOWN_TO_ALL);
  }

  /** Without the password: settings are logged. */
  @Override
  public String toString() {
    return name;
  }
}
