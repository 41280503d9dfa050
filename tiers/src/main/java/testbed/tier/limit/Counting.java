package testbed.tier.limit;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/** Where the requests of clients are counted. */
public enum Counting {
  /** Nowhere: clients have no limit. */
  OFF,

  /** In the memory of each process. */
  LOCAL,

  /** In a database, for all processes together. */
  SHARED;

  /** Binds the setting as the settings record does, so that both read the same value. */
  static Counting of(Environment environment) {
    return Binder.get(environment).bind("market.limit", Counting.class).orElse(OFF);
  }
}
