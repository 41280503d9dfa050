package testbed.embedded;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** Ports to listen on. */
final class Ports {

  private Ports() {}

  /**
   * Returns a port that is free now; 0 asks for any.
   *
   * @param what who will listen
   * @param variable the setting of the port
   * @throws CannotStart if it is taken
   */
  static int free(String what, String address, int port, String variable) {
    try (var probe = new ServerSocket()) {
      probe.setReuseAddress(true);
      probe.bind(new InetSocketAddress(address, port));
      return probe.getLocalPort();
    } catch (IOException | IllegalArgumentException taken) {
      throw CannotStart.portInUse(what, address, port, variable);
    }
  }
}
