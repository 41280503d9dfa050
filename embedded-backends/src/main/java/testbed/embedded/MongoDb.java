package testbed.embedded;

import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;

/** A MongoDB stand-in whose data lives in memory and ends with the process. */
final class MongoDb implements AutoCloseable {

  private final MongoServer server;

  private MongoDb(MongoServer server) {
    this.server = server;
  }

  /**
   * Starts to listen.
   *
   * @throws CannotStart if the port is taken
   */
  static MongoDb start(String address, int port) {
    var server = new MongoServer(new MemoryBackend());
    try {
      server.bind(address, port);
    } catch (Exception notBound) {
      // Netty throws the checked BindException without declaring it.
      server.shutdownNow();
      throw CannotStart.portInUse("MongoDB", address, port, Settings.MONGODB_PORT);
    }
    return new MongoDb(server);
  }

  int port() {
    return server.getLocalAddress().getPort();
  }

  @Override
  public void close() {
    server.shutdownNow();
  }
}
