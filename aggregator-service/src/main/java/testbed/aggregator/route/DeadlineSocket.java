package testbed.aggregator.route;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import testbed.support.deadline.Deadline;

/**
 * A socket whose reads end at the deadline of the reading thread. A limit for each read alone would
 * never end an answer that comes byte by byte.
 */
class DeadlineSocket extends Socket {

  /** The limit of a single read; 0 for none. */
  private int limitMillis;

  @Override
  public synchronized void setSoTimeout(int millis) throws SocketException {
    super.setSoTimeout(millis);
    limitMillis = millis;
  }

  @Override
  public synchronized int getSoTimeout() {
    return limitMillis;
  }

  @Override
  public InputStream getInputStream() throws IOException {
    return new FilterInputStream(super.getInputStream()) {
      @Override
      public int read(byte[] buffer, int offset, int length) throws IOException {
        limit();
        return super.read(buffer, offset, length);
      }
    };
  }

  /** The sooner of the read's own limit and the deadline. */
  private synchronized void limit() throws IOException {
    var deadline = Deadline.current();
    if (deadline == null) {
      super.setSoTimeout(limitMillis);
      return;
    }
    var left = (int) Math.min(deadline.millisLeft(), Integer.MAX_VALUE);
    if (left == 0) {
      throw new SocketTimeoutException("No answer in time");
    }
    super.setSoTimeout(limitMillis == 0 ? left : Math.min(limitMillis, left));
  }
}
