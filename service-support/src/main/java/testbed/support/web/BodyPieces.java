package testbed.support.web;

/**
 * Counts the pieces in which one body arrives: chunks, or what single reads return. A piece costs
 * the reader much the same however small it is, so each counts as 64 bytes at least.
 */
public final class BodyPieces {

  private static final int LEAST_BYTES = 64;

  private final long limitBytes;
  private long countedBytes;

  /**
   * @param settings twice the largest body is the limit, so that its bytes alone never reach it
   */
  public BodyPieces(WebSettings settings) {
    this.limitBytes = 2 * settings.maxBody().toBytes();
  }

  /** Begins another body. */
  public void clear() {
    countedBytes = 0;
  }

  /** Counts a piece; returns whether there are too many. */
  public boolean isOneTooMany(int bytes) {
    countedBytes += Math.max(bytes, LEAST_BYTES);
    return countedBytes > limitBytes;
  }
}
