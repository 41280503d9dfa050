package testbed.messaging;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends what several threads write in few packets, without waiting for more: a flush is carried out
 * by a virtual thread, which runs after those that can run already, and takes what they have
 * written until then.
 */
final class GatheredWrites extends OutputStream {

  private static final Logger log = LoggerFactory.getLogger(GatheredWrites.class);

  /** Writers that are faster than the connection send the data themselves. */
  private static final int MOST_BYTES = 64 * 1024;

  private final OutputStream out;

  /** Held by the one thread that sends. */
  private final ReentrantLock sending = new ReentrantLock();

  /** Guarded by the lock. */
  private ByteArrayOutputStream sent = new ByteArrayOutputStream();

  /** Guarded by this, as all below. */
  private ByteArrayOutputStream gathered = new ByteArrayOutputStream();

  private boolean isFlushing;
  private @Nullable IOException failure;

  GatheredWrites(OutputStream out) {
    this.out = out;
  }

  @Override
  public void write(int value) throws IOException {
    write(new byte[] {(byte) value});
  }

  /**
   * @throws IOException if an earlier write failed
   */
  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    while (!isGathered(bytes, offset, length)) {
      send();
    }
  }

  private synchronized boolean isGathered(byte[] bytes, int offset, int length) throws IOException {
    if (failure != null) {
      throw new IOException("An earlier write failed", failure);
    }
    if (gathered.size() >= MOST_BYTES) {
      return false;
    }
    gathered.write(bytes, offset, length);
    return true;
  }

  @Override
  public void flush() {
    synchronized (this) {
      if (isFlushing) {
        return;
      }
      isFlushing = true;
    }
    Thread.ofVirtual().name("gathered-writes").start(this::sendAll);
  }

  /** Sends what is left before the connection is closed, unless another thread is sending. */
  void sendRest() {
    if (!sending.isHeldByCurrentThread() && sending.tryLock()) {
      try {
        send();
      } catch (IOException closed) {
        log.debug("The last data was not sent", closed);
      } finally {
        sending.unlock();
      }
    }
  }

  private void sendAll() {
    try {
      do {
        send();
      } while (!isAllSent());
    } catch (IOException closed) {
      // The next write fails, and the connection's reader as well.
      log.debug("Data was not sent", closed);
    }
  }

  private synchronized boolean isAllSent() {
    if (gathered.size() > 0) {
      return false;
    }
    isFlushing = false;
    return true;
  }

  private void send() throws IOException {
    sending.lock();
    try {
      synchronized (this) {
        var taken = gathered;
        gathered = sent;
        sent = taken;
      }
      if (sent.size() > 0) {
        sent.writeTo(out);
        sent.reset();
      }
    } catch (IOException failed) {
      synchronized (this) {
        failure = failed;
      }
      throw failed;
    } finally {
      sending.unlock();
    }
  }
}
