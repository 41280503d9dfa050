package testbed.support.web;

import java.util.concurrent.ThreadLocalRandom;

/**
 * Which connections a server closes after their answer as it comes near to its limit: idle ones
 * would keep new clients out.
 */
public final class Crowding {

  private static final double KEPT_SHARE = 0.9;

  private Crowding() {}

  /**
   * Whether to close one. Never up to nine tenths of the limit, then ever more often, and always at
   * the limit, so that a small excess of clients closes few connections.
   *
   * @param open how many connections there are
   * @param limit how many there may be
   */
  public static boolean closes(long open, int limit) {
    var kept = KEPT_SHARE * limit;
    return open > kept && ThreadLocalRandom.current().nextDouble(limit - kept) < open - kept;
  }
}
