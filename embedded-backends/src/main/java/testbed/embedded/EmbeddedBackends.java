package testbed.embedded;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts the backends that the environment asks for and serves them until it is stopped. */
public final class EmbeddedBackends implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(EmbeddedBackends.class);

  private final List<AutoCloseable> running;
  private final OptionalInt mongoDbPort;
  private final OptionalInt amqpPort;

  private EmbeddedBackends(
      List<AutoCloseable> running, OptionalInt mongoDbPort, OptionalInt amqpPort) {
    this.running = List.copyOf(running);
    this.mongoDbPort = mongoDbPort;
    this.amqpPort = amqpPort;
  }

  /** Exits with code 1 and one line on standard error if the backends cannot start. */
  public static void main(String[] arguments) {
    try {
      var backends = start(System.getenv());
      Runtime.getRuntime().addShutdownHook(new Thread(backends::close, "stop"));
      log.info("embedded backends ready");
    } catch (CannotStart reason) {
      System.err.println(reason.getMessage());
      System.exit(1);
    }
  }

  /**
   * Starts the backends; both listen when this returns.
   *
   * @throws CannotStart if a setting is wrong or a port is taken; nothing runs then
   */
  static EmbeddedBackends start(Map<String, String> environment) {
    var settings = Settings.from(environment);
    var running = new ArrayList<AutoCloseable>();
    var mongoDbPort = OptionalInt.empty();
    var amqpPort = OptionalInt.empty();
    try {
      if (settings.mongoDbPort().isPresent()) {
        var mongoDb =
            MongoDb.start(
                settings.address(), settings.mongoDbPort().getAsInt(), settings.mongoDbFile());
        running.add(mongoDb);
        mongoDbPort = OptionalInt.of(mongoDb.port());
        log.info("MongoDB on {}:{}", settings.address(), mongoDb.port());
      }
      if (settings.amqpPort().isPresent()) {
        var amqp = Amqp.start(settings.address(), settings.amqpPort().getAsInt());
        running.add(amqp);
        amqpPort = OptionalInt.of(amqp.port());
        log.info("AMQP on {}:{}", settings.address(), amqp.port());
      }
    } catch (CannotStart reason) {
      closeAll(running);
      throw reason;
    }
    return new EmbeddedBackends(running, mongoDbPort, amqpPort);
  }

  /** The port of MongoDB; empty if it is off. */
  OptionalInt mongoDbPort() {
    return mongoDbPort;
  }

  /** The port of AMQP; empty if it is off. */
  OptionalInt amqpPort() {
    return amqpPort;
  }

  @Override
  public void close() {
    closeAll(running);
  }

  private static void closeAll(List<AutoCloseable> running) {
    for (var backend : running) {
      try {
        backend.close();
      } catch (Exception failed) {
        log.warn("Not closed cleanly: {}", failed.getMessage());
      }
    }
  }
}
