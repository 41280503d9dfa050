package testbed.support.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * A port that nobody else is given until this is closed, for a server that starts later, or never.
 *
 * <p>The socket is bound and does not listen. While it is, the kernel gives its port to nobody who
 * asks for any, refuses connections to it, and lets a server listen that asks for this one.
 */
public final class HeldPort implements AutoCloseable {

  private final Socket socket = new Socket();

  public HeldPort() {
    try {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(0));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public int number() {
    return socket.getLocalPort();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
