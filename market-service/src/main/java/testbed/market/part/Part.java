package testbed.market.part;

import java.util.Locale;

/** A part of the market. Parts know each other's interfaces only. */
public enum Part {
  /** Countries, regions, farms, mills, companies, varieties and beans. */
  BEANS,
  /** Stock, prices and orders. */
  INVENTORY,
  /** Clients and their subscriptions. */
  CLIENTS;

  /** The part's name in settings and paths, and of its schema. */
  public String lowerCase() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The name under which processes of this part alone are registered. */
  public String service() {
    return lowerCase() + "-service";
  }
}
