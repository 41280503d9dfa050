package testbed.market.clients;

import java.util.Locale;

/** What a client has paid for. */
public enum Subscription {
  BASIC,
  PREMIUM;

  /** The scope of its tokens. */
  String scope() {
    return name().toLowerCase(Locale.ROOT);
  }
}
