package testbed.embedded;

import de.bwaldvogel.mongo.MongoBackend;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.util.Optional;
import org.h2.mvstore.MVStoreException;

/** A MongoDB stand-in whose data lives in memory and ends with the process, or lives in a file. */
final class MongoDb implements AutoCloseable {

  private final MongoServer server;

  private MongoDb(MongoServer server) {
    this.server = server;
  }

  /**
   * Starts to listen.
   *
   * @throws CannotStart if the port is taken, or the file cannot be used
   */
  static MongoDb start(String address, int port, Optional<String> file) {
    var server = new MongoServer(file.map(MongoDb::in).orElseGet(MemoryBackend::new));
    try {
      server.bind(address, port);
    } catch (Exception notBound) {
      // Netty throws the checked BindException without declaring it.
      server.shutdownNow();
      throw CannotStart.portInUse("MongoDB", address, port, Settings.MONGODB_PORT);
    }
    return new MongoDb(server);
  }

  private static MongoBackend in(String file) {
    try {
      return new FileBackend(file);
    } catch (MVStoreException | IllegalArgumentException unusable) {
      throw new CannotStart(
          "%s is '%s': not a file to store data in (%s)."
              .formatted(Settings.MONGODB_FILE, file, unusable.getMessage()),
          unusable);
    }
  }

  int port() {
    return server.getLocalAddress().getPort();
  }

  @Override
  public void close() {
    server.shutdownNow();
  }
}
