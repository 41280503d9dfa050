package testbed.gateway.access;

import org.springframework.core.env.Environment;
import testbed.tier.token.TokenCheck;

/** Before the market clients bring tokens in place of accounts, where that is set. */
public final class MarketTokens {

  private MarketTokens() {}

  /** Whether a client needs a token. */
  public static boolean areChecked(Environment environment) {
    return isBeforeTheMarket(environment) && TokenCheck.of(environment) != TokenCheck.OFF;
  }

  /** Whether the services behind check it as well. */
  public static boolean arePassedOn(Environment environment) {
    return isBeforeTheMarket(environment) && TokenCheck.of(environment) == TokenCheck.EVERYWHERE;
  }

  /** Whether this gateway is the market's. */
  static boolean isBeforeTheMarket(Environment environment) {
    return environment.getProperty("gateway.route.market", Boolean.class, false);
  }
}
