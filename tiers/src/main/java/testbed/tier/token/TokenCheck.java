package testbed.tier.token;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/** Where tokens are checked. */
public enum TokenCheck {
  /** Nowhere: a token is ignored. */
  OFF,

  /** Where clients come in. What is behind trusts it. */
  FRONT,

  /** By the services behind the front as well. */
  EVERYWHERE;

  /** Binds the setting as the settings record does, so that both read the same value. */
  public static TokenCheck of(Environment environment) {
    return Binder.get(environment).bind("market.tokens", TokenCheck.class).orElse(OFF);
  }
}
