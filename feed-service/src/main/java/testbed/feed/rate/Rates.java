package testbed.feed.rate;

import testbed.feed.source.ExchangeRate;

/** Rates as clients get them. */
@FunctionalInterface
public interface Rates {

  /**
   * The US dollars of one euro.
   *
   * @throws testbed.feed.source.SourceRefused if there is none to tell
   */
  ExchangeRate euro();
}
