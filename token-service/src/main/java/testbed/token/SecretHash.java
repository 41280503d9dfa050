package testbed.token;

import java.util.Locale;

/** How secrets are hashed. */
enum SecretHash {
  /** Slow, as passwords that people choose need it. */
  BCRYPT,

  /** Fast: enough for long random secrets. */
  SHA256;

  String id() {
    return name().toLowerCase(Locale.ROOT);
  }
}
