package testbed.messaging;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import javax.net.SocketFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sockets that are closed when a write makes no progress for a while. RabbitMQ's client connects
 * them itself.
 *
 * <p>A server that is cut off acknowledges no data, so the operating system's buffer fills up and
 * the next write blocks. The library's heartbeats cannot end it, because the writer holds the
 * channel. After the server's return the write would wait about as long again, for the operating
 * system's next retransmission.
 */
final class WriteLimit extends SocketFactory {

  private static final Logger log = LoggerFactory.getLogger(WriteLimit.class);

  private final Duration longest;
  private final boolean isGathering;

  /**
   * @param longest how long a write may take
   * @param isGathering whether several flushes may become one write
   */
  WriteLimit(Duration longest, boolean isGathering) {
    this.longest = longest;
    this.isGathering = isGathering;
  }

  @Override
  public Socket createSocket() {
    return new LimitedSocket();
  }

  @Override
  public Socket createSocket(String host, int port) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Socket createSocket(InetAddress host, int port) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Socket createSocket(String host, int port, InetAddress local, int localPort) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) {
    throw new UnsupportedOperationException();
  }

  private final class LimitedSocket extends Socket {

    /** The start of the current write, like {@link System#nanoTime}; null if there is none. */
    private volatile @Nullable Long begun;

    private volatile @Nullable GatheredWrites gathered;

    @Override
    public OutputStream getOutputStream() throws IOException {
      var limited = limited(super.getOutputStream());
      Thread.ofVirtual().name("write-limit").start(this::watch);
      if (!isGathering) {
        return limited;
      }
      var writes = new GatheredWrites(limited);
      gathered = writes;
      return writes;
    }

    @Override
    public void close() throws IOException {
      var writes = gathered;
      if (writes != null) {
        writes.sendRest();
      }
      super.close();
    }

    private OutputStream limited(OutputStream plain) {
      return new FilterOutputStream(plain) {
        @Override
        public void write(int value) throws IOException {
          write(new byte[] {(byte) value});
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
          begun = System.nanoTime();
          try {
            out.write(bytes, offset, length);
          } finally {
            begun = null;
          }
        }
      };
    }

    private void watch() {
      try {
        while (!isClosed()) {
          var since = begun;
          if (since != null && System.nanoTime() - since > longest.toNanos()) {
            log.warn("{} has taken nothing for {}", getRemoteSocketAddress(), longest);
            close();
          }
          Thread.sleep(longest.dividedBy(10));
        }
      } catch (IOException | InterruptedException ended) {
        log.debug("The writes to {} are not watched any more", getRemoteSocketAddress(), ended);
      }
    }
  }
}
